#include "tuner/timing.h"

#include <algorithm>
#include <iterator>

#include "base/ensure.h"
#include "ocl/profile.h"

namespace texcast::tuner {
namespace {

constexpr int kMostSettling = 10;

double microseconds(nanoseconds time) { return static_cast<double>(time.count()) / 1000; }

}  // namespace

double median(std::vector<double> values) {
  ENSURE(!values.empty());
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Spread spread_of(const std::vector<nanoseconds>& times) {
  std::vector<double> us;
  std::transform(times.begin(), times.end(), std::back_inserter(us), microseconds);
  const double middle = median(us);
  const auto [least, most] = std::minmax_element(us.begin(), us.end());
  return {.min_us = *least, .median_us = middle, .max_us = *most, .rounds = static_cast<int>(us.size())};
}

std::vector<Spread> time_in_turns(const std::vector<Run>& runs, const TimingSettings& settings) {
  ENSURE(settings.rounds >= 1 && settings.warm_up >= 0);
  struct Taken {
    nanoseconds spent{}, last{};
    std::vector<nanoseconds> counted;
  };
  std::vector<Taken> taken(runs.size());
  for (int round = -settings.warm_up; round < settings.rounds; ++round)
    for (size_t i = 0; i < runs.size(); ++i) {
      Taken& t = taken[i];
      const bool first = t.spent == nanoseconds{};
      if (!first && settings.budget > nanoseconds{} && t.spent >= settings.budget) continue;
      nanoseconds settled{};
      for (int n = 0; !first && n < kMostSettling && settled + t.last < settings.settle; ++n) settled += runs[i]();
      t.last = runs[i]();
      t.spent += settled + t.last;
      if (round >= 0) t.counted.push_back(t.last);
    }
  std::vector<Spread> spreads;
  for (Taken& t : taken) {
    if (t.counted.empty()) t.counted.push_back(t.last);
    spreads.push_back(spread_of(t.counted));
  }
  return spreads;
}

Run on_device(std::function<Commands()> enqueue) {
  return [enqueue = std::move(enqueue)] {
    const SteadyTime start = steady_now();
    const Commands commands = enqueue();
    commands.last.wait();
    const nanoseconds wall = steady_now() - start;
    const nanoseconds measured = ocl::duration(commands.first, commands.last);
    return measured > nanoseconds{} ? measured : wall;
  };
}

}  // namespace texcast::tuner
