// compact_listeners.h — who of those that report of a compact stream cannot read it, and the lines that say so. Pure:
// time is an argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "texcast/frame_times.h"
#include "transport/rtcp.h"

namespace texcast::stream {

// What texcast's receivers say that they are and read (SDES TOOL): "texcast/0.1.0 compact/1", with the newest version
// of the coder, up to which they read all.
std::string rtcp_tool();
// Whether that is said there of streams of this version.
bool reads_compact(std::string_view tool, uint8_t coding);

// Not thread-safe.
class CompactListeners {
 public:
  explicit CompactListeners(uint8_t coding) : coding_(coding) {}

  // A report came from there ("192.168.1.20:5004").
  void reported(const std::string& from, const transport::RtcpCompound& report, SteadyTime now);
  // Lines to be told now: one for each listener that has reported for kPatience and did not say that it reads such
  // streams. Addresses can be forged: kMostLines in all, and kMost listeners are remembered.
  std::vector<std::string> news(SteadyTime now);

  static constexpr nanoseconds kPatience = std::chrono::milliseconds(2500);
  static constexpr size_t kMost = 64, kMostLines = 16;

 private:
  struct Listener {
    std::string from;
    uint32_t ssrc = 0;
    SteadyTime first{};
    std::string name{};    // of its program; empty: it has not said
    bool settled = false;  // it reads them, has left, or was told of
  };
  Listener* find_or_add(const std::string& from, uint32_t ssrc, SteadyTime now);

  const uint8_t coding_;
  std::vector<Listener> listeners_;
  size_t lines_ = 0;
};

}  // namespace texcast::stream
