// The self-check of an encoder backend: equal slices, and the time they take.
#include "compact/self_check.h"

#include <doctest/doctest.h>

using namespace texcast;
using namespace texcast::compact;
using namespace std::chrono_literals;
using Failure = SelfCheck::Failure;

TEST_CASE("the self-check ends after enough equal slices, and fails after one mismatch") {
  SelfCheck check;
  CHECK_FALSE(check.is_running());
  check.begin({.slices = 3});
  CHECK(check.is_running());
  check.compare(true);
  check.compare(true);
  CHECK_FALSE(check.failure());
  CHECK(check.is_running());
  check.compare(true);
  CHECK_FALSE(check.failure());
  CHECK_FALSE(check.is_running());

  SelfCheck of_slices;
  of_slices.begin({.slices = 1});
  of_slices.compare(true);
  of_slices.compare(false);
  CHECK(of_slices.failure() == Failure::mismatch);
  SelfCheck of_others;
  of_others.begin({.slices = 1});
  of_others.report_mismatch();
  CHECK(of_others.failure() == Failure::mismatch);
}

TEST_CASE("a device that is slower than the CPU fails; its first frame does not count") {
  for (const bool is_slow : {false, true}) {
    CAPTURE(is_slow);
    SelfCheck check;
    check.begin({.slices = 2});
    check.add_times(900ms, 10ms);  // kernels are built
    check.compare(true);
    CHECK_FALSE(check.failure());
    check.add_times(is_slow ? 21ms : 19ms, 20ms);
    CHECK_FALSE(check.failure());  // not before the end
    check.add_times(10ms, 10ms);
    check.compare(true);
    CHECK((check.failure() == Failure::slower) == is_slow);
    CHECK(check.cpu_time() == 15ms);
  }
}

TEST_CASE("the self-check reads the clock only while it runs") {
  int64_t calls = 0;
  SelfCheck check;
  CHECK(check.now() == SteadyTime{});
  check.begin({.slices = 1, .clock = [&] { return SteadyTime{nanoseconds{++calls}}; }});
  CHECK(check.now() == SteadyTime{1ns});
  check.compare(true);
  CHECK_FALSE(check.failure());
  CHECK(check.now() == SteadyTime{});
  CHECK(calls == 1);
}
