// examine_clock.h — asks the kernel, chrony and ptp4l how good the system clock is.
#pragma once

#include "clock/clock_quality.h"

namespace texcast::clock {

KernelClock kernel_clock();  // at once
// Runs chronyc and pmc, if their daemons may run: takes a second at most. Any thread. What does not answer is left out.
ClockQuality examine_clock();

}  // namespace texcast::clock
