// times.h — conversions of time for tests that have their own clock.
#pragma once

#include "texcast/frame_times.h"

namespace texcast {

// A wall clock that starts together with the steady one.
constexpr WallTime wall_of(SteadyTime now) { return WallTime(now.time_since_epoch()); }
// The inverse, for tests that use a capture's clock.
constexpr SteadyTime steady_of(WallTime now) { return SteadyTime(now.time_since_epoch()); }

}  // namespace texcast
