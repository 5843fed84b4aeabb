// pacer.h — when each packet of a frame should leave. Pure arithmetic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "texcast/frame_times.h"
#include "transport/packet.h"

namespace texcast::transport {

struct PacerSettings {
  double fps = 60;
  double spread = 0.75;                               // part of the frame time over which a frame's packets leave, 0..1
  std::optional<double> rate_bits_per_s{};            // a cap: never faster than this on the wire
  nanoseconds tick = std::chrono::microseconds(500);  // packets leave in batches this far apart
  // So much leaves in each batch where there is as much: a small frame needs no spreading. Less where the cap says so.
  size_t least_a_tick = 0;
};

// What a datagram takes of an Ethernet line beside its own bytes: headers of UDP, IP and Ethernet, checksum, preamble
// and gap.
constexpr size_t wire_overhead(bool ipv6) { return static_cast<size_t>(ip_udp_header_bytes(ipv6)) + 14 + 4 + 8 + 12; }

// All bytes here are bytes of the line: datagrams with wire_overhead() each.
//
// How many bytes of a frame of `frame_bytes` may have left `since_start` after its first. Packets leave at the begin of
// each tick, evenly over the duration; the last tick's leave up to one tick before its end.
class Pacer {
 public:
  explicit Pacer(const PacerSettings& settings) : settings_(settings), most_(settings.rate_bits_per_s) {}
  // From the next frame on: a lower cap than the settings'.
  void limit(double bits_per_s) { settings_.rate_bits_per_s = most_ ? std::min(*most_, bits_per_s) : bits_per_s; }
  nanoseconds duration(size_t frame_bytes) const;                       // first packet to last
  size_t bytes_due(size_t frame_bytes, nanoseconds since_start) const;  // rises to frame_bytes; at least 1
  // How long a capped line is busy with so many bytes, so that the next frame's do not come on top; 0 without a cap.
  nanoseconds line_time(size_t bytes) const;
  nanoseconds tick() const { return settings_.tick; }

 private:
  PacerSettings settings_;
  std::optional<double> most_;
};

}  // namespace texcast::transport
