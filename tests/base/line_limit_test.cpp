#include "base/line_limit.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace texcast;
using namespace std::chrono_literals;

TEST_CASE(
    "of lines that repeat by the thousand a few are logged at once, then one per minute with the number of dropped "
    "lines") {
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
