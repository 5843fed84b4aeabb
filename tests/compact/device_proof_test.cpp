// Whether a device is believed: by its units, and by the time it takes.
#include <doctest/doctest.h>

#include "self_check.h"

using namespace texcast;
using namespace texcast::compact;
using namespace std::chrono_literals;
using Objection = SelfCheck::Objection;

TEST_CASE("a device is believed once so many units are the threads', and never where one is not") {
  SelfCheck proof;
  CHECK_FALSE(proof.is_open());
  proof.begin({.slices = 3});
  CHECK(proof.is_open());
  proof.hold_against(true);
  proof.hold_against(true);
  CHECK_FALSE(proof.look());
  CHECK(proof.is_open());
  proof.hold_against(true);
  CHECK_FALSE(proof.look());
  CHECK_FALSE(proof.is_open());

  SelfCheck of_other;
  of_other.begin({.slices = 1});
  of_other.hold_against(true);
  of_other.hold_against(false);
  CHECK(of_other.look() == Objection::others);
  SelfCheck of_votes;
  of_votes.begin({.slices = 1});
  of_votes.object();
  CHECK(of_votes.look() == Objection::others);
}

TEST_CASE("a device that is slower than the threads is not taken; its first frame does not count") {
  for (const bool is_slow : {false, true}) {
    CAPTURE(is_slow);
    SelfCheck proof;
    proof.begin({.slices = 2});
    proof.took(900ms, 10ms);  // builds what it needs
    proof.hold_against(true);
    CHECK_FALSE(proof.look());
    proof.took(is_slow ? 21ms : 19ms, 20ms);
    CHECK_FALSE(proof.look());  // not before the end
    proof.took(10ms, 10ms);
    proof.hold_against(true);
    CHECK((proof.look() == Objection::slower) == is_slow);
    CHECK(proof.thread_time() == 15ms);
  }
}

TEST_CASE("the clock is asked while a proof is open") {
  int64_t asked = 0;
  SelfCheck proof;
  CHECK(proof.now() == SteadyTime{});
  proof.begin({.slices = 1, .clock = [&] { return SteadyTime{nanoseconds{++asked}}; }});
  CHECK(proof.now() == SteadyTime{1ns});
  proof.hold_against(true);
  CHECK_FALSE(proof.look());
  CHECK(proof.now() == SteadyTime{});
  CHECK(asked == 1);
}
