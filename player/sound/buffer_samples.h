// buffer_samples.h — the buffer size of live sound, for a sound card and its substitute.
#pragma once

#include <cstdint>

namespace texcast::player {

inline constexpr uint16_t kLiveBufferSamples = 512;  // 11 ms: in a live stream every millisecond is delay

}  // namespace texcast::player
