// examine_clock.h — asks the kernel, chrony and ptp4l how good the system clock is.
#pragma once

#include "clock/clock_quality.h"

namespace texcast::clock {

KernelClock kernel_clock();  // at once
// Runs chronyc and pmc, if their daemons may run: takes two seconds at most. An answer that does not come is left out.
// Any thread.
ClockQuality examine_clock();

}  // namespace texcast::clock
