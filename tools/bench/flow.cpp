#include "bench/flow.h"

#include <algorithm>

#include "base/ensure.h"
#include "tuner/timing.h"

namespace texcast::bench {
namespace {

double rate(int64_t pieces, nanoseconds time) {
  return static_cast<double>(pieces) / in_seconds(std::max(time, nanoseconds(1)));
}

nanoseconds one_alone(const Flow& flow, const Clock& now) {
  const SteadyTime start = now();
  flow.begin();
  flow.end();
  return now() - start;
}

struct Slice {
  int64_t pieces = 0;
  nanoseconds time{};
};

Slice full_slice(const Flow& flow, nanoseconds length, const Clock& now) {
  for (int i = 0; i < flow.in_flight; ++i) flow.begin();
  flow.end();  // from here on one ends for each that begins
  Slice slice;
  const SteadyTime start = now();
  do {
    flow.begin();
    flow.end();
    ++slice.pieces;
    slice.time = now() - start;
  } while (slice.time < length);
  for (int i = 1; i < flow.in_flight; ++i) flow.end();
  return slice;
}

}  // namespace

std::vector<FlowRate> time_flows(const std::vector<Flow>& flows, const FlowSettings& settings, const Clock& now) {
  ENSURE(settings.rounds >= 1);
  std::vector<FlowRate> rates(flows.size());
  std::vector<std::vector<double>> rounds(flows.size());
  for (size_t i = 0; i < flows.size(); ++i) {
    ENSURE(flows[i].in_flight >= 1);
    // The first may still have to compile; when even that is quick enough, the second tells nothing new.
    nanoseconds alone = one_alone(flows[i], now);
    if (settings.patience > nanoseconds{} && alone >= settings.patience) alone = one_alone(flows[i], now);
    if (settings.patience > nanoseconds{} && alone >= settings.patience) {
      const double per_second = rate(1, alone);
      rates[i] = {per_second, per_second, per_second, 0, 1};
    }
  }
  for (int round = 0; round < settings.rounds; ++round)
    for (size_t i = 0; i < flows.size(); ++i) {
      if (rates[i].pieces > 0 && rates[i].rounds == 0) continue;
      const Slice slice = full_slice(flows[i], settings.slice, now);
      rounds[i].push_back(rate(slice.pieces, slice.time));
      rates[i].rounds = round + 1;
      rates[i].pieces += slice.pieces;
    }
  for (size_t i = 0; i < flows.size(); ++i) {
    if (rounds[i].empty()) continue;
    const auto [slowest, fastest] = std::minmax_element(rounds[i].begin(), rounds[i].end());
    rates[i].slowest = *slowest;
    rates[i].fastest = *fastest;
    rates[i].per_second = tuner::median(rounds[i]);
  }
  return rates;
}

}  // namespace texcast::bench
