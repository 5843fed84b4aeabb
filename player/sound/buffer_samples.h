// buffer_samples.h — how much sound of a live stream is asked for at a time, of a card and of what stands in for one.
#pragma once

#include <cstdint>

namespace texcast::player {

inline constexpr uint16_t kLiveBufferSamples = 512;  // 11 ms: of a live stream every millisecond is delay

}  // namespace texcast::player
