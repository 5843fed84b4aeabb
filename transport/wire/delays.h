// delays.h — a frame's times on the wire: nanoseconds since 1970, and microseconds between successive times.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "texcast/frame_times.h"

namespace texcast::transport {

inline constexpr uint32_t kUnknownDelay = 0xFFFFFFFF;

// Microseconds from `from` to `to`; unknown if either is, 0 if the clock stepped back.
inline uint32_t delay_us(WallTime from, WallTime to) {
  if (from == WallTime{} || to == WallTime{}) return kUnknownDelay;
  const int64_t us = std::chrono::duration_cast<std::chrono::microseconds>(to - from).count();
  return static_cast<uint32_t>(std::clamp<int64_t>(us, 0, kUnknownDelay - 1));
}

inline WallTime plus_delay(WallTime from, uint32_t us) {
  return from == WallTime{} || us == kUnknownDelay ? WallTime{} : from + std::chrono::microseconds(us);
}

inline uint64_t time_to_wire(WallTime time) {
  return static_cast<uint64_t>(std::max<int64_t>(time.time_since_epoch().count(), 0));
}

// Times before 1970 or after 2262 are invalid and count as unknown, so sums with delays cannot overflow.
inline WallTime time_from_wire(uint64_t ns) {
  return ns <= uint64_t{INT64_MAX} / 2 ? WallTime(nanoseconds(static_cast<int64_t>(ns))) : WallTime{};
}

}  // namespace texcast::transport
