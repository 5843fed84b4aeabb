// Counters over the last second.
#include "stream/count_window.h"

#include <doctest/doctest.h>

#include <chrono>

#include "stream/rate_meter.h"
#include "stream/stored_rate.h"

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
  CHECK(meter.bits_per_s(10, begin + 2s) == 80);  // of the new stream, in the second since then
  CHECK(meter.bits_per_s(1010, begin + 3s) == 8000);
}

TEST_CASE("the rate in the first second is that since the beginning, and not 0") {
  const SteadyTime begin{1000s};
  RateMeter meter(begin);
  CHECK(meter.bits_per_s(0, begin) == 0);
  CHECK(meter.bits_per_s(500, begin + 1ms) == 0);  // too early to tell
  CHECK(meter.bits_per_s(500, begin + 500ms) == 8000);
  CHECK(meter.bits_per_s(2000, begin + 1s) == 16000);
  CHECK(meter.bits_per_s(9000, begin + 1100ms) == 16000);  // that of the last complete second
  CHECK(meter.bits_per_s(9000, begin + 2s) == 56000);
  CHECK(meter.bits_per_s(10'225, begin + 2980ms) == doctest::Approx(10'000));  // a line that comes a little early
}

TEST_CASE("a count that began late has the rate since then, however long the meter waited for it") {
  const SteadyTime begin{1000s};
  RateMeter meter(begin);
  CHECK(meter.bits_per_s(1000, begin + 21s, begin + 20s) == 8000);
  CHECK(meter.bits_per_s(3000, begin + 22s, begin + 20s) == 16000);
}

TEST_CASE("a meter that is first read in the middle of a stream begins there") {
  const SteadyTime begin{1000s};
  RateMeter meter;
  CHECK(meter.bits_per_s(1'000'000, begin) == 0);
  CHECK(meter.bits_per_s(1'000'100, begin + 100ms) == 8000);
}

TEST_CASE("the rate of a file is that of its stored bytes in the last second of it, at any speed") {
  StoredRate rate;
  CHECK(rate.bits_per_s() == 0);
  for (int i = 0; i < 10; ++i) rate.add(1000, 40ms);
  CHECK(rate.bits_per_s() == doctest::Approx(200'000));  // 10 kB in 0.4 s
  for (int i = 0; i < 25; ++i) rate.add(2000, 40ms);
  CHECK(rate.bits_per_s() == doctest::Approx(400'000));  // the first ten are more than a second old
}
