#include "text/figures.h"

#include <doctest/doctest.h>

using namespace texcast;
using namespace std::chrono_literals;

TEST_CASE("rates in a suitable unit") {
  CHECK(bit_rate(0) == "0.0 kbit/s");
  CHECK(bit_rate(17'090) == "17.1 kbit/s");
  CHECK(bit_rate(999'900) == "999.9 kbit/s");
  CHECK(bit_rate(1e6) == "1.0 Mbit/s");
  CHECK(bit_rate(8.4e9) == "8400.0 Mbit/s");
  CHECK(bit_rate(18.4e9) == "18.40 Gbit/s");
}

TEST_CASE("a rate needs a second or more, and is never a jitter above the nominal rate") {
  CHECK_FALSE(frame_rate(0, 0s, 60).has_value());
  CHECK_FALSE(frame_rate(1, 5s, 60).has_value());
  CHECK_FALSE(frame_rate(2, 9ms, 60).has_value());  // 106 fps by two frames, of which the first was late
  CHECK_FALSE(frame_rate(60, 983ms, 60).has_value());
  CHECK(frame_rate(61, 1s, 60) == 60.0);
  CHECK(frame_rate(61, 990ms + 15ms, 60) == doctest::Approx(59.7).epsilon(1e-3));
  CHECK(frame_rate(62, 1s, 60) == 60.0);
  CHECK(frame_rate(150, 2470ms, 60) == 60.0);
  CHECK(frame_rate(301, 10s, 60) == 30.0);
  CHECK(frame_rate(1201, 10s, 60) == 120.0);  // too much for jitter
  CHECK(frame_rate(1201, 10s, 0) == 120.0);
  CHECK(rate_text(59.94) == ", 59.9 fps");
  CHECK(rate_text(std::nullopt).empty());
}
