#include "base/latency.h"

#include <doctest/doctest.h>

using namespace texcast;
using std::chrono::nanoseconds;

TEST_CASE("without measurements the percentile is zero") {
  const LatencyWindow window;
  CHECK(window.count() == 0);
  CHECK(window.percentile(0.5) == nanoseconds(0));
}

TEST_CASE("percentiles are nearest ranks, whatever the order of the measurements") {
  LatencyWindow window;
  for (int i = 0; i < 100; ++i) window.add(nanoseconds(i * 37 % 100 + 1));  // 1..100, shuffled
  CHECK(window.percentile(0) == nanoseconds(1));
  CHECK(window.percentile(0.5) == nanoseconds(50));
  CHECK(window.percentile(0.95) == nanoseconds(95));
  CHECK(window.percentile(1) == nanoseconds(100));
  CHECK(window.percentile(7) == nanoseconds(100));  // out of range: clamped
}

TEST_CASE("a single measurement is every percentile") {
  LatencyWindow window;
  window.add(nanoseconds(1'500'000));
  CHECK(window.percentile(0.05) == nanoseconds(1'500'000));
  CHECK(window.milliseconds(0.95) == doctest::Approx(1.5));
}

TEST_CASE("the window forgets the oldest measurements, so that a bad start does not last") {
  LatencyWindow window;
  for (size_t i = 0; i < LatencyWindow::kCapacity; ++i) window.add(nanoseconds(1'000'000));
  for (size_t i = 0; i < LatencyWindow::kCapacity; ++i) window.add(nanoseconds(10));
  CHECK(window.count() == LatencyWindow::kCapacity);
  CHECK(window.percentile(1) == nanoseconds(10));
}

TEST_CASE("clocks that disagree give negative durations, which are kept") {
  LatencyWindow window;
  window.add(nanoseconds(-5));
  window.add(nanoseconds(5));
  CHECK(window.percentile(0.5) == nanoseconds(-5));
}

TEST_CASE("percentiles of the newest measurements, also across the end of the ring") {
  LatencyWindow window;
  for (size_t i = 0; i < LatencyWindow::kCapacity; ++i) window.add(nanoseconds(1'000'000));
  for (int i = 1; i <= 10; ++i) window.add(nanoseconds(i));
  CHECK(window.percentile(0.5, 10) == nanoseconds(5));
  CHECK(window.percentile(1, 4) == nanoseconds(10));
  CHECK(window.percentile(0, 4) == nanoseconds(7));
  CHECK(window.percentile(1, 11) == nanoseconds(1'000'000));
  CHECK(window.percentile(0.5, 0) == nanoseconds(0));
}
