// timing.h — times several things in turns, so that a slow moment of the machine affects all of them alike.
#pragma once

#include <functional>
#include <vector>

#include "ocl/opencl.h"
#include "texcast/frame_times.h"

namespace texcast::tuner {

// Over the rounds that counted, in microseconds.
struct Spread {
  double min_us = 0;
  double median_us = 0;
  double max_us = 0;
  int rounds = 0;
};
Spread spread_of(const std::vector<nanoseconds>& times);  // at least one (else misuse)
// For an even number, the mean of the two in the middle. At least one (else misuse).
double median(std::vector<double> values);

struct TimingSettings {
  int rounds = 30;  // at least 1 (else misuse)
  int warm_up = 2;  // rounds before those that count
  // For each run, all its rounds together; zero = no limit. A run that has spent it skips its remaining turns. If it
  // has spent it before its warm-up is over, its last warm-up round counts as its only one.
  nanoseconds budget{};
  // Before each turn a run repeats without being counted for so long, at most 10 times, so that it meets the clocks and
  // caches that it leaves behind itself and not those of the run before (a GPU that was idle during a long run is slow
  // for a while). Runs that take longer than this do not repeat; nor does any in its first turn. Zero = never.
  nanoseconds settle = std::chrono::microseconds(500);
};

// Does its work once and returns how long that took.
using Run = std::function<nanoseconds()>;
// Returns one spread for each run, in their order.
std::vector<Spread> time_in_turns(const std::vector<Run>& runs, const TimingSettings& settings);

// The first and the last of the commands that a run has put into one queue; the same event for a single command.
struct Commands {
  cl::Event first, last;
};
// Waits for the commands. Returns their time by the device's own clock, from the start of the first to the end of the
// last; or from the call to the end by the host's clock if the device does not report it.
Run on_device(std::function<Commands()> enqueue);

}  // namespace texcast::tuner
