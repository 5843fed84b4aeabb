#include "base/line_limit.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace texcast;
using namespace std::chrono_literals;

TEST_CASE(
    "a few of the lines that come by the thousand are told at once, then one a minute, with how many were left out") {
  LineLimit limit;
  std::vector<std::string> told;
  const SteadyTime begun{1h};
  for (int ms = 0; ms < 150'000; ++ms)
    if (auto line = limit.take("somebody knocks", begun + ms * 1ms)) told.push_back(std::move(*line));
  REQUIRE(told.size() == LineLimit::kAtOnce + 2);
  CHECK(told[4] == "somebody knocks");
  CHECK(told[5] == "somebody knocks (59999 more like this came since the last line)");
  CHECK(told[6] == "somebody knocks (59999 more like this came since the last line)");
}
