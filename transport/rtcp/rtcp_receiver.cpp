#include <algorithm>

#include "transport/packet.h"
#include "transport/rtcp_session.h"

namespace texcast::transport {
namespace {

constexpr unsigned kFirstRtcpType = 72, kLastRtcpType = 76;  // RTCP's 200 to 204 without what would be the marker
constexpr int kCandidatePackets = 16;
constexpr uint16_t kMaxDropout = 3000;  // RFC 3550 A.1: a larger jump is a sender that started over

constexpr uint32_t kMaxDistance = 1u << 27;  // 25 minutes: 16 times that is a uint32_t

}  // namespace

void RtcpReceiver::on_media(Bytes datagram, SteadyTime arrived) {
  if (datagram.size() < kRtpHeaderBytes || load_u8(datagram, 0) >> 6 != 2) return;
  const unsigned type = load_u8(datagram, 1) & 0x7Fu;
  if (type >= kFirstRtcpType && type <= kLastRtcpType) return;
  const uint16_t sequence = load_be16(datagram, 2);
  const uint32_t timestamp = load_be32(datagram, 4);
  const uint32_t ssrc = load_be32(datagram, 8);
  const uint32_t transit =
      rtp_clock(arrived) - timestamp;  // only differences count, so the clocks' zeros do not matter

  const auto begin = [&] {
    source_ = Source{
        .ssrc = ssrc, .base_sequence = sequence, .highest_sequence = sequence, .received = 1, .transit = transit};
    candidate_packets_ = 0;
  };
  if (!source_) return begin();
  if (source_->ssrc != ssrc) {
    candidate_packets_ = candidate_ == ssrc ? candidate_packets_ + 1 : 1;
    candidate_ = ssrc;
    if (candidate_packets_ >= kCandidatePackets) begin();
    return;
  }
  candidate_packets_ = 0;
  Source& s = *source_;
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

bool RtcpReceiver::on_control(Bytes datagram, SteadyTime arrived) {
  const auto compound = parse_rtcp(datagram);
  if (!compound || !compound->sender || !source_ || compound->ssrc != source_->ssrc) return false;
  source_->last_report = ntp_middle(compound->sender->ntp_time);
  source_->last_report_at = arrived;
  if (!timer_.started()) timer_.start(arrived);
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
  RtcpCompound compound{.ssrc = ssrc_, .bye = bye};
  if (const auto of_source = block(now)) {
    compound.blocks[compound.block_count++] = *of_source;
    source_->expected_before = source_->expected();
    source_->received_before = source_->received;
  }
  return Bytes(out_).first(write_rtcp(out_, compound, cname_));
}

}  // namespace texcast::transport
