// pacer.h — pacing: when each packet of a frame should be sent. Arithmetic only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "texcast/frame_times.h"
#include "transport/packet.h"

namespace texcast::transport {

struct PacerSettings {
  double fps = 60;
  double spread = 0.75;                     // fraction of the frame time over which a frame's packets are spread, 0..1
  std::optional<double> rate_bits_per_s{};  // upper bound of the rate on the link
  nanoseconds tick = std::chrono::microseconds(500);  // packets are sent in batches, this far apart
  // Each batch has at least this many bytes, as far as available and within the rate limit: a small frame needs no
  // spreading.
  size_t least_a_tick = 0;
};

// The bytes that a datagram occupies on an Ethernet link besides its own: UDP, IP and Ethernet headers, checksum,
// preamble and gap.
constexpr size_t wire_overhead(bool ipv6) { return static_cast<size_t>(ip_udp_header_bytes(ipv6)) + 14 + 4 + 8 + 12; }

// All sizes here are bytes on the link: datagrams plus wire_overhead() each. Packets are sent at the beginning of each
// tick, spread evenly over the duration; those of the last tick leave up to one tick before its end.
class Pacer {
 public:
  explicit Pacer(const PacerSettings& settings) : settings_(settings), most_(settings.rate_bits_per_s) {}
  // From the next frame on: a limit below that of the settings; nullopt: only that of the settings.
  void limit(std::optional<double> bits_per_s) {
    settings_.rate_bits_per_s = bits_per_s && most_ ? std::min(*most_, *bits_per_s) : bits_per_s ? bits_per_s : most_;
  }
  nanoseconds duration(size_t frame_bytes) const;  // first packet to last
  // Bytes of the frame that may be sent by then; rises to frame_bytes; at least 1.
  size_t bytes_due(size_t frame_bytes, nanoseconds since_start) const;
  // How long a rate-limited link is busy with these bytes, so that the next frame does not add to them; 0 without a
  // limit.
  nanoseconds line_time(size_t bytes) const;
  nanoseconds tick() const { return settings_.tick; }

 private:
  PacerSettings settings_;
  std::optional<double> most_;
};

}  // namespace texcast::transport
