// flow.h — work of which several pieces are under way at once: how many get through in a second.
#pragma once

#include <functional>
#include <vector>

#include "base/frame_times.h"

namespace texcast::bench {

struct Flow {
  std::function<void()> begin;  // starts one piece; called while fewer than `in_flight` are under way
  std::function<void()> end;    // waits for the oldest
  int in_flight = 1;
};

struct FlowRate {
  double per_second = 0;  // median of the rounds
  double slowest = 0, fastest = 0;
  int rounds = 0;      // 0: judged by one piece alone, see FlowSettings::patience
  int64_t pieces = 0;  // counted, all rounds together
};

struct FlowSettings {
  int rounds = 5;                                      // at least 1 (else misuse)
  nanoseconds slice = std::chrono::milliseconds(100);  // of one flow in one round, at least one piece
  // A flow whose first piece, alone, takes this long is judged by that piece and takes no turns. Zero: none is.
  nanoseconds patience = std::chrono::milliseconds(250);
};

using Clock = std::function<SteadyTime()>;

// Warms each flow up with two pieces, one after the other; then gives each a slice of every round, in turns, full: the
// time from one piece's end to another's, with `in_flight` under way all the while. Each slice ends empty.
std::vector<FlowRate> time_flows(const std::vector<Flow>& flows, const FlowSettings& settings,
                                 const Clock& now = steady_now);

}  // namespace texcast::bench
