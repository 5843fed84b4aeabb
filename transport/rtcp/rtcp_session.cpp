#include "transport/rtcp_session.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "transport/compact_packet.h"

namespace texcast::transport {
namespace {

constexpr nanoseconds kSilent = std::chrono::seconds(30);  // about five reports

// RTCP's 200 to 204 without RTP's marker bit.
constexpr unsigned kFirstRtcpType = 72, kLastRtcpType = 76;
constexpr int kCandidatePackets = 16;
// After this silence another source may become the stream.
constexpr nanoseconds kGone = std::chrono::milliseconds(250);
constexpr uint16_t kMaxDropout = 3000;  // RFC 3550 A.1: a larger jump is a restarted sender

std::string_view host_of(std::string_view address) { return address.substr(0, address.rfind(':')); }

void start(RtcpTimer& timer, RtcpAudience audience, SteadyTime now) {
  if (audience == RtcpAudience::unicast)
    timer.start_unicast(now);
  else
    timer.start(now);
}

// Packets that the path to a relay and the paths behind it lose independently.
void add_to(RtcpReportBlock& block, const RtcpSummary& behind) {
  const double arrive = (1 - block.fraction_lost / 256.0) * (1 - std::clamp(behind.loss, 0.0, 1.0));
  block.fraction_lost = static_cast<uint8_t>(std::clamp((1 - arrive) * 256 + 0.5, 0.0, 255.0));
  const double jitter = std::clamp(behind.jitter_ms * 90, 0.0, 1e9);
  block.jitter = std::max(block.jitter, static_cast<uint32_t>(jitter));
}

constexpr uint32_t kMaxDistance = 1u << 27;  // 25 minutes; 16 times that fits into a uint32_t

}  // namespace

void RtcpSender::on_sent(std::span<const OutgoingPacket> packets, SteadyTime now, WallTime captured) {
  for (const OutgoingPacket& packet : packets) {
    const auto numbers = packet_numbers(packet.header);
    if (!numbers) continue;
    if (ssrc_ && *ssrc_ != numbers->ssrc) {  // a relay's sender has begun anew
      ssrc_.reset();
      packets_ = octets_ = 0;
    }
    if (!ssrc_ || numbers->timestamp != timestamp_) {
      timestamp_ = numbers->timestamp;
      timestamp_at_ = now;
      captured_ = captured;
    }
    if (!ssrc_) {
      ssrc_ = numbers->ssrc;
      start(timer_, audience_, now);
    }
    ++packets_;
    octets_ += static_cast<uint32_t>(packet.size() - std::min(numbers->header_bytes, packet.size()));
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

Bytes RtcpSender::report_to_newcomer(SteadyTime now, WallTime wall) {
  return ssrc_ ? write(now, wall, false) : Bytes{};
}

Bytes RtcpSender::goodbye(SteadyTime now, WallTime wall) { return ssrc_ ? write(now, wall, true) : Bytes{}; }

uint32_t RtcpSender::timestamp_of(SteadyTime now, WallTime wall) const {
  const nanoseconds since = captured_ == WallTime{} ? now - timestamp_at_ : wall - captured_;
  return since < nanoseconds{} ? timestamp_ - rtp_clock(-since) : timestamp_ + rtp_clock(since);
}

Bytes RtcpSender::write(SteadyTime now, WallTime wall, bool bye) {
  RtcpCompound compound{.ssrc = *ssrc_, .bye = bye, .cname = cname_};
  compound.sender = RtcpSenderInfo{
      .ntp_time = ntp_time(wall), .rtp_timestamp = timestamp_of(now, wall), .packets = packets_, .octets = octets_};
  return Bytes(out_).first(write_rtcp(out_, compound));
}

void RtcpSender::on_report(const RtcpCompound& report, const std::string& from, SteadyTime now, WallTime wall) {
  const auto known = std::ranges::find_if(
      receivers_, [&](const ReceiverOpinion& r) { return r.ssrc == report.ssrc && r.address == from; });
  const auto blocks = report.all_blocks();
  const auto block = std::ranges::find_if(blocks, [&](const auto& b) { return ssrc_ && b.ssrc == *ssrc_; });
  if (block == blocks.end()) return;
  ReceiverOpinion opinion{.ssrc = report.ssrc,
                          .loss = block->fraction_lost / 256.0,
                          .lost = block->cumulative_lost,
                          .jitter_ms = block->jitter / 90.0,
                          .left = report.bye,
                          .heard = now,
                          .address = from};
  if (block->last_report != 0) {
    // RFC 3550 6.4.1, in 1/65536 s. Negative if a clock was set meanwhile; then it is no round trip.
    const auto trip = static_cast<int32_t>(ntp_middle(ntp_time(wall)) - block->last_report - block->delay);
    if (trip >= 0) opinion.round_trip_ms = trip * 1000.0 / 65536;
  }
  ++changes_;
  if (known != receivers_.end()) {
    *known = std::move(opinion);
  } else if (receivers_.size() < most_receivers_) {
    receivers_.push_back(std::move(opinion));
  } else {
    const auto of_host = [&](const ReceiverOpinion& r) {
      return std::ranges::count(receivers_, host_of(r.address),
                                [](const ReceiverOpinion& other) { return host_of(other.address); });
    };
    *std::ranges::min_element(
        receivers_, {}, [&](const ReceiverOpinion& r) { return std::pair(-of_host(r), r.heard); }) = std::move(opinion);
  }
}

void RtcpSender::forget_silent(SteadyTime now) {
  changes_ += std::erase_if(receivers_, [&](const ReceiverOpinion& r) { return now - r.heard > kSilent; });
}

void RtcpReceiver::on_media(Bytes datagram, SteadyTime arrived, const PeerAddress& from) {
  const auto numbers = packet_numbers(datagram);
  if (!numbers) return;
  const bool rtp = load_u8(datagram, 0) >> 6 == 2;
  const unsigned type = load_u8(datagram, 1) & 0x7Fu;
  if (rtp && type >= kFirstRtcpType && type <= kLastRtcpType) return;
  const uint16_t sequence = numbers->sequence;
  const uint32_t timestamp = numbers->timestamp;
  const uint32_t ssrc = numbers->ssrc;
  const uint32_t transit =
      rtp_clock(arrived.time_since_epoch()) - timestamp;  // only differences count, so the clocks' epochs do not matter

  const auto begin = [&] {
    source_ = Source{.ssrc = ssrc,
                     .from = from,
                     .heard = arrived,
                     .base_sequence = sequence,
                     .highest_sequence = sequence,
                     .received = 1,
                     .transit = transit};
    candidate_packets_ = 0;
  };
  if (!source_) return begin();
  if (source_->ssrc != ssrc || source_->from != from) {
    if (arrived - source_->heard < kGone) return;
    candidate_packets_ = candidate_ == ssrc && candidate_from_ == from ? candidate_packets_ + 1 : 1;
    candidate_ = ssrc;
    candidate_from_ = from;
    if (candidate_packets_ >= kCandidatePackets) begin();
    return;
  }
  candidate_packets_ = 0;
  Source& s = *source_;
  s.heard = arrived;
  const auto ahead = static_cast<uint16_t>(sequence - static_cast<uint16_t>(s.highest_sequence));
  if (ahead < kMaxDropout) {
    s.highest_sequence += ahead;
  } else if (ahead < 0x10000 - kMaxDropout) {
    return begin();
  }  // else late or a duplicate
  ++s.received;
  const uint32_t difference = transit - s.transit;
  const uint32_t distance = difference & 0x8000'0000 ? 0 - difference : difference;
  s.transit = transit;
  s.jitter_16 += std::min(distance, kMaxDistance) - ((s.jitter_16 + 8) >> 4);
}

bool RtcpReceiver::on_control(Bytes datagram, SteadyTime arrived, const PeerAddress& from) {
  const auto compound = parse_rtcp(datagram);
  if (!compound || !compound->sender || !source_ || compound->ssrc != source_->ssrc) return false;
  if (!source_->from.same_host(from)) return false;
  source_->last_report = ntp_middle(compound->sender->ntp_time);
  source_->last_report_at = arrived;
  if (!timer_.started()) start(timer_, audience_, arrived);
  return true;
}

std::optional<SteadyTime> RtcpReceiver::next_deadline() const {
  return timer_.started() ? std::optional(timer_.next_deadline()) : std::nullopt;
}

std::optional<RtcpReportBlock> RtcpReceiver::block(SteadyTime now) {
  if (!source_) return std::nullopt;
  Source& s = *source_;
  const uint64_t expected = s.expected();
  const auto lost = static_cast<int64_t>(expected) - static_cast<int64_t>(s.received);
  const auto expected_now = static_cast<int64_t>(expected - s.expected_before);
  const int64_t lost_now = expected_now - static_cast<int64_t>(s.received - s.received_before);
  RtcpReportBlock block{.ssrc = s.ssrc,
                        .cumulative_lost = static_cast<int32_t>(std::clamp<int64_t>(lost, -0x800000, 0x7FFFFF)),
                        .highest_sequence = s.highest_sequence,
                        .jitter = s.jitter_16 >> 4,
                        .last_report = s.last_report};
  if (expected_now > 0 && lost_now > 0)
    block.fraction_lost = static_cast<uint8_t>(std::min<int64_t>(lost_now * 256 / expected_now, 255));
  add_to(block, behind_);
  if (s.last_report != 0) {
    const auto since = static_cast<uint64_t>(std::max<int64_t>((now - s.last_report_at).count(), 0));
    block.delay = static_cast<uint32_t>((since / 1000 << 16) / 1'000'000);
  }
  return block;
}

Bytes RtcpReceiver::report(SteadyTime now) {
  if (!timer_.started() || now < timer_.next_deadline()) return {};
  timer_.sent(now);
  reported_ = true;
  return write(now, false);
}

Bytes RtcpReceiver::goodbye(SteadyTime now) { return reported_ ? write(now, true) : Bytes{}; }

Bytes RtcpReceiver::write(SteadyTime now, bool bye) {
  RtcpCompound compound{.ssrc = ssrc_, .bye = bye, .cname = cname_, .tool = tool_};
  if (const auto of_source = block(now)) {
    compound.blocks[compound.block_count++] = *of_source;
    source_->expected_before = source_->expected();
    source_->received_before = source_->received;
  }
  return Bytes(out_).first(write_rtcp(out_, compound));
}

}  // namespace texcast::transport
