#include <algorithm>

#include "transport/packet.h"
#include "transport/rtcp_session.h"

namespace texcast::transport {
namespace {

constexpr nanoseconds kSilent = std::chrono::seconds(30);  // about five of its reports

// Bytes of `header` that are RTP's: the fixed ones and an extension; 0 for what is no RTP.
size_t rtp_header_bytes(Bytes header) {
  if (header.size() < kRtpHeaderBytes || load_u8(header, 0) >> 6 != 2) return 0;
  if ((load_u8(header, 0) & 0x10) == 0 || header.size() < kRtpHeaderBytes + 4) return kRtpHeaderBytes;
  return kRtpHeaderBytes + 4 + size_t{load_be16(header, kRtpHeaderBytes + 2)} * 4;
}

}  // namespace

void RtcpSender::on_sent(std::span<const OutgoingPacket> packets, SteadyTime now) {
  for (const OutgoingPacket& packet : packets) {
    const size_t header_bytes = rtp_header_bytes(packet.header);
    if (header_bytes == 0) continue;
    const uint32_t timestamp = load_be32(packet.header, 4);
    if (!ssrc_ || timestamp != timestamp_) {
      timestamp_ = timestamp;
      timestamp_at_ = now;
    }
    if (!ssrc_) {
      ssrc_ = load_be32(packet.header, 8);
      timer_.start(now);
    }
    ++packets_;
    octets_ += static_cast<uint32_t>(packet.size() - std::min(header_bytes, packet.size()));
  }
}

std::optional<SteadyTime> RtcpSender::next_deadline() const {
  return ssrc_ ? std::optional(timer_.next_deadline()) : std::nullopt;
}

Bytes RtcpSender::report(SteadyTime now, WallTime wall) {
  if (!ssrc_ || now < timer_.next_deadline()) return {};
  timer_.sent(now);
  forget_silent(now);
  return write(now, wall, false);
}

Bytes RtcpSender::goodbye(SteadyTime now, WallTime wall) { return ssrc_ ? write(now, wall, true) : Bytes{}; }

Bytes RtcpSender::write(SteadyTime now, WallTime wall, bool bye) {
  RtcpCompound compound{.ssrc = *ssrc_, .bye = bye};
  compound.sender = RtcpSenderInfo{.ntp_time = ntp_time(wall),
                                   .rtp_timestamp = timestamp_ + rtp_clock(now - timestamp_at_),
                                   .packets = packets_,
                                   .octets = octets_};
  return Bytes(out_).first(write_rtcp(out_, compound, cname_));
}

bool RtcpSender::on_datagram(Bytes datagram, const std::string& from, SteadyTime now, WallTime wall) {
  const auto compound = parse_rtcp(datagram);
  if (!compound) return false;
  const auto known = std::ranges::find(receivers_, compound->ssrc, &ReceiverOpinion::ssrc);
  const auto blocks = compound->all_blocks();
  const auto block = std::ranges::find_if(blocks, [&](const auto& b) { return ssrc_ && b.ssrc == *ssrc_; });
  if (block == blocks.end()) return true;
  ReceiverOpinion opinion{.ssrc = compound->ssrc,
                          .loss = block->fraction_lost / 256.0,
                          .lost = block->cumulative_lost,
                          .jitter_ms = block->jitter / 90.0,
                          .left = compound->bye,
                          .heard = now,
                          .address = from};
  if (block->last_report != 0) {
    // RFC 3550 6.4.1, in 1/65536 s; a clock that was set meanwhile makes it negative, and that is no round trip.
    const auto trip = static_cast<int32_t>(ntp_middle(ntp_time(wall)) - block->last_report - block->delay);
    if (trip >= 0) opinion.round_trip_ms = trip * 1000.0 / 65536;
  }
  ++changes_;
  if (known != receivers_.end()) {
    *known = std::move(opinion);
  } else if (receivers_.size() < kMaxReceivers) {
    receivers_.push_back(std::move(opinion));
  } else {
    *std::ranges::min_element(receivers_, {}, &ReceiverOpinion::heard) = std::move(opinion);
  }
  return true;
}

void RtcpSender::forget_silent(SteadyTime now) {
  changes_ += std::erase_if(receivers_, [&](const ReceiverOpinion& r) { return now - r.heard > kSilent; });
}

}  // namespace texcast::transport
