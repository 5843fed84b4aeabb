// stream_ports.h — the UDP ports of a receiver that a stream needs: the one that its address names, and those after it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace texcast::transport {

inline constexpr uint16_t kAudioPortOffset = 2;  // sound is sent to the video's port plus 2
inline constexpr uint16_t kRtcpPortOffset = 1;   // RTCP uses the port after that of its video or sound

struct StreamPort {
  uint16_t offset = 0;  // from the port of the address
  const char* use = "";
};
// In order. README.md and docs/streaming.md have the same list.
inline constexpr std::array<StreamPort, 4> kStreamPorts{{{0, "video"},
                                                         {kRtcpPortOffset, "its RTCP"},
                                                         {kAudioPortOffset, "sound"},
                                                         {kAudioPortOffset + kRtcpPortOffset, "its RTCP"}}};

// "5004 (video), 5005 (its RTCP), 5006 (sound), 5007 (its RTCP)"; without those above 65535.
std::string stream_ports_text(uint16_t port);
// "5004 to 5007"
std::string stream_port_range(uint16_t port);

}  // namespace texcast::transport
