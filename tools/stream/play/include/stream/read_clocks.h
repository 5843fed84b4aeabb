// read_clocks.h — the steady clock and the system clock, read at one moment.
#pragma once

#include "base/clock.h"
#include "playout/system_schedule.h"

namespace texcast::stream {

// At most a few microseconds lie between the two, unless this thread is interrupted each time. Any thread.
ClockReading read_clocks(const Clock& clock);

}  // namespace texcast::stream
