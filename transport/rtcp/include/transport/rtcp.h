// rtcp.h — parses and writes RTCP packets (RFC 3550, section 6). Functions over bytes only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "texcast/frame_times.h"

namespace texcast::transport {

// A report block: one receiver about one sender.
struct RtcpReportBlock {
  uint32_t ssrc = 0;              // the sender's
  uint8_t fraction_lost = 0;      // since its last report, in 1/256
  int32_t cumulative_lost = 0;    // 24 bits with sign: duplicates make it negative
  uint32_t highest_sequence = 0;  // the upper half counts wraps
  uint32_t jitter = 0;            // in units of the RTP clock
  uint32_t last_report = 0;       // the middle of the last sender report's NTP time; 0: there was none
  uint32_t delay = 0;             // since that report arrived, 1/65536 s
};

struct RtcpSenderInfo {
  uint64_t ntp_time = 0;
  uint32_t rtp_timestamp = 0;  // the same time
  uint32_t packets = 0;        // so far
  uint32_t octets = 0;         // payload, so far
};

// One datagram: the supported parts of a compound packet.
struct RtcpCompound {
  static constexpr size_t kMaxBlocks = 31;
  uint32_t ssrc = 0;  // of its source
  std::optional<RtcpSenderInfo> sender{};
  std::array<RtcpReportBlock, kMaxBlocks> blocks{};
  size_t block_count = 0;
  bool bye = false;  // the source leaves
  // SDES CNAME and TOOL, up to 255 arbitrary bytes; after parsing they point into the datagram.
  std::string_view cname{}, tool{};
  std::span<const RtcpReportBlock> all_blocks() const { return {blocks.data(), block_count}; }
};

// Large enough for write_rtcp() with one block.
inline constexpr size_t kMaxRtcpBytes = 512;
inline constexpr size_t kMaxCnameBytes = 255;

inline constexpr size_t kMaxToolBytes = 96;

// Nothing for a datagram that fails RFC 3550's validity check (A.2): a report comes first, and the lengths add up to
// the datagram. An SDES packet with wrong lengths is ignored; the rest counts.
std::optional<RtcpCompound> parse_rtcp(Bytes datagram);
// Writes SR if there is `sender`, else RR; then SDES with the CNAME (cut to 255 bytes) and, if there is one, the TOOL
// (cut to kMaxToolBytes); then BYE if set. Returns the bytes written. `out` has kMaxRtcpBytes, plus 24 for each block
// but the first.
size_t write_rtcp(MutableBytes out, const RtcpCompound& compound);

// 64-bit NTP time (seconds since 1900, 32.32), and its middle 32 bits, as used in reports.
uint64_t ntp_time(WallTime wall);
// This time on RTP's clock (90 kHz); wraps.
uint32_t rtp_clock(nanoseconds time);
inline uint32_t ntp_middle(uint64_t ntp) { return static_cast<uint32_t>(ntp >> 16); }

// When reports are sent (RFC 3550, 6.2 and 6.3.1, for sessions whose bandwidth share allows the minimum interval):
// every 5 s on average, randomised between half and one and a half so that receivers do not synchronise; the first
// after half of that. In unicast-only sessions the first is sent almost at once and the others every second, which 6.2
// allows: the sender learns immediately whether there is a receiver, and soon that the delay grows.
class RtcpTimer {
 public:
  explicit RtcpTimer(uint32_t seed) : state_(seed | 1) {}
  SteadyTime next_deadline() const { return next_; }
  void start(SteadyTime now) { next_ = now + interval(kLeast / 2); }
  void start_unicast(SteadyTime now) {
    usual_ = kUnicast;
    next_ = now + interval(kFirstUnicast);
  }
  bool started() const { return next_ != SteadyTime{}; }
  void sent(SteadyTime now) { next_ = now + interval(usual_); }

 private:
  static constexpr nanoseconds kLeast = std::chrono::seconds(5);
  static constexpr nanoseconds kFirstUnicast = std::chrono::milliseconds(300), kUnicast = std::chrono::seconds(1);
  nanoseconds interval(nanoseconds average);
  uint64_t state_;
  nanoseconds usual_ = kLeast;
  SteadyTime next_{};
};

}  // namespace texcast::transport
