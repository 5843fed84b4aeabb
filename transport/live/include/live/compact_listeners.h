// compact_listeners.h — finds receivers of a coded stream that report by RTCP but cannot decode it, and produces the
// log lines about them. No I/O; time is an argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "texcast/frame_times.h"
#include "transport/rtcp.h"

namespace texcast::stream {

// True if a SDES TOOL (rtcp_tool()) announces support for this version.
bool reads_compact(std::string_view tool, uint8_t coding);

// Not thread-safe.
class CompactListeners {
 public:
  // `coding`: the coding version of the stream; 0: it is raw, and no receiver is named.
  explicit CompactListeners(uint8_t coding) : coding_(coding) {}
  uint8_t coding() const { return coding_; }

  // A report arrived from that address ("192.168.1.20:5004").
  void reported(const std::string& from, const transport::RtcpCompound& report, SteadyTime now);
  // Lines to log now: one for each receiver that has reported for kPatience without announcing support. Addresses can
  // be forged, so there are at most kMostLines in total, and at most kMost receivers are remembered.
  std::vector<std::string> news(SteadyTime now);

  static constexpr nanoseconds kPatience = std::chrono::milliseconds(2500);
  static constexpr size_t kMost = 64, kMostLines = 16;

 private:
  struct Listener {
    std::string from;
    uint32_t ssrc = 0;
    SteadyTime first{};
    std::string name{};        // name of its program; empty: unknown
    bool reads_lossy = false;  // it decodes lossy streams, if not this one
    bool settled = false;      // it supports the stream, has left, or was logged
  };
  Listener* find_or_add(const std::string& from, uint32_t ssrc, SteadyTime now);

  const uint8_t coding_;
  std::vector<Listener> listeners_;
  size_t lines_ = 0;
};

}  // namespace texcast::stream
