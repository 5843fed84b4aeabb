// Counters over the last second.
#include "stream/count_window.h"

#include <doctest/doctest.h>

#include <chrono>

#include "stream/rate_meter.h"

using namespace texcast;
using namespace texcast::stream;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

TEST_CASE("counters of the last second: the increase in it, however often they are read") {
  CountWindow window;
  const SteadyTime begin{1000s};
  const auto lost_at = [&](nanoseconds time, uint64_t lost) {
    const Counts risen = window.last_second({{"lost", lost}, {"wrong_now", 7}}, begin + time);
    CHECK(risen[1].value == 7);
    return risen[0].value;
  };
  CHECK(lost_at(0ms, 500) == 0);  // at the first reading
  for (int i = 1; i <= 30; ++i) {
    // 10 in 0.1 s.
    const uint64_t risen = lost_at(i * 100ms, 500 + static_cast<uint64_t>(i) * 10);
    CHECK(risen >= static_cast<uint64_t>(std::min(i, 10)) * 10);
    CHECK(risen <= 120);
  }
  for (int i = 31; i <= 50; ++i) lost_at(i * 100ms, 800);
  CHECK(lost_at(5100ms, 800) == 0);
  CHECK(lost_at(60s, 5000) == 0);  // not the losses of a minute without readings
  CHECK(lost_at(60s + 100ms, 5003) == 3);
  CHECK(lost_at(60s + 300ms, 4) == 4);  // of another stream
}

TEST_CASE("a rate restarts when the byte counter restarts at 0") {
  RateMeter meter;
  const SteadyTime begin{1000s};
  meter.bits_per_s(0, begin);
  CHECK(meter.bits_per_s(1000, begin + 1s) == 8000);
  meter.bits_per_s(10, begin + 2s);
  CHECK(meter.bits_per_s(1010, begin + 3s) == 8000);
}
