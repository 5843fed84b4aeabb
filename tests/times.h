// times.h — points in time for tests that keep their own clock.
#pragma once

#include "texcast/frame_times.h"

namespace texcast {

// A wall clock that began together with the steady one.
constexpr WallTime wall_of(SteadyTime now) { return WallTime(now.time_since_epoch()); }
// The other way round, for what plays a capture's clock.
constexpr SteadyTime steady_of(WallTime now) { return SteadyTime(now.time_since_epoch()); }

}  // namespace texcast
