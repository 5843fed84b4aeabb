// The time for coding tiles.

#include "stream/coding_budget.h"

#include <doctest/doctest.h>

namespace texcast::stream {
namespace {

// 60 a second, each spread over three quarters of its time: a raw frame of 1 MB is sent in 12.5 ms, a byte in 12.5 ns.
constexpr double kFrame = 1.0 / 60, kSending = 0.75 / 60, kBytes = 1e6;

CodingBudget after(int frames, double seconds, double saved_bytes, CodingBudget budget = {kFrame, kSending, kBytes}) {
  for (int i = 0; i < frames; ++i) budget.learn(seconds, kBytes, saved_bytes);
  return budget;
}

TEST_CASE("coding that is faster than sending gets most of the frame time") {
  CHECK(CodingBudget(kFrame, kSending, kBytes).seconds() == doctest::Approx(0.35 * kFrame));
  CHECK(after(1, 0.005, 0.9e6).seconds() == doctest::Approx(0.35 * kFrame));  // 5 ms for 11 ms
}

TEST_CASE("coding that takes more than twice as long gets less") {
  CHECK(after(20, 0.010, 0.4e6).seconds() == doctest::Approx(0.35 * kFrame));                    // 10 ms for 5 ms
  CHECK(after(20, 0.010, 0.2e6).seconds() == doctest::Approx(0.35 * kFrame / 2).epsilon(0.01));  // for 2.5
  CHECK(after(20, 0.010, 0).seconds() == doctest::Approx(kFrame / 16));                          // for nothing
}

TEST_CASE("film that ends is forgotten within ten frames") {
  const CodingBudget film = after(20, 0.010, 0.1e6);
  CHECK(film.seconds() < 0.1 * kFrame);
  CHECK(after(10, 0.003, 0.9e6, film).seconds() == doctest::Approx(0.35 * kFrame));
}

TEST_CASE("if coding saves little, extensive coding is tried one time in sixteen") {
  const auto times = [](CodingBudget budget) {
    int count = 0;
    for (int i = 0; i < 160; ++i) count += budget.is_worth_it();
    return count;
  };
  CHECK(times({kFrame, kSending, kBytes}) == 160);
  CHECK(times(after(20, 0.010, 0.5e6)) == 160);
  CHECK(times(after(20, 0.010, 0.3e6)) == 10);
}

TEST_CASE("if hardly any bytes are left, coding is worth any time") {
  CHECK(after(20, 0.040, 0.9e6).seconds() == doctest::Approx(0.35 * kFrame));
  CHECK(after(20, 0.040, 0.7e6).seconds() < 0.2 * kFrame);
}

TEST_CASE("raw frames are no evidence") {
  CodingBudget budget = after(20, 0.010, 0.4e6);
  const double before = budget.seconds();
  for (int i = 0; i < 100; ++i) budget.learn(0.001, 0, 0);
  CHECK(budget.seconds() == before);
}

TEST_CASE("frames in which hardly anything was coded are no evidence") {
  const CodingBudget film = after(20, 0.010, 0.4e6);
  CHECK(after(100, 0.0001, 0, film).seconds() == film.seconds());
}

TEST_CASE("a slow link makes coding worth more time") {
  const double at_30_mbit = kBytes * 8 / 30e6;
  CHECK(after(20, 0.010, 0.1e6, {kFrame, at_30_mbit, kBytes}).seconds() == doctest::Approx(0.35 * kFrame));
}

}  // namespace
}  // namespace texcast::stream
