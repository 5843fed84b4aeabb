#include "tuner/timing.h"

#include <doctest/doctest.h>

#include <string>

using namespace texcast;
using namespace texcast::tuner;
using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST_CASE("the median of an even number of times is the mean of the middle two") {
  const Spread odd = spread_of({microseconds(9), microseconds(1), microseconds(4)});
  CHECK(odd.min_us == 1);
  CHECK(odd.median_us == 4);
  CHECK(odd.max_us == 9);
  CHECK(odd.rounds == 3);
  const Spread even = spread_of({microseconds(9), microseconds(1), nanoseconds(2500), microseconds(4)});
  CHECK(even.median_us == 3.25);
  CHECK(spread_of({nanoseconds(1)}).median_us == 0.001);
}

TEST_CASE("runs take turns, and warm-up rounds do not count") {
  std::string order;
  int calls = 0;
  // 100, 99, 98 … microseconds: the first two calls take the longest
  const Run falling = [&]() -> nanoseconds { return order += 'a', microseconds(100 - calls++); };
  const Run constant = [&]() -> nanoseconds { return order += 'b', microseconds(7); };
  const auto spreads = time_in_turns({falling, constant}, {.rounds = 3, .warm_up = 2, .settle = {}});
  CHECK(order == "ababababab");
  REQUIRE(spreads.size() == 2);
  CHECK(spreads[0].max_us == 98);
  CHECK(spreads[0].median_us == 97);
  CHECK(spreads[0].min_us == 96);
  CHECK(spreads[1].median_us == 7);
  CHECK(spreads[1].rounds == 3);
}

TEST_CASE(
    "short runs are repeated before each turn until the device settles, without being counted; long ones are not") {
  std::string order;
  int calls = 0;
  // The fourth call is the fast one that counts: the first call is the warm-up, and two more let the device settle.
  const Run quick = [&]() -> nanoseconds { return order += 'a', microseconds(++calls == 4 ? 30 : 100); };
  const Run slow = [&]() -> nanoseconds { return order += 'b', microseconds(300); };
  const Run tiny = [&]() -> nanoseconds { return order += 'c', microseconds(1); };
  const auto spreads = time_in_turns({quick, slow, tiny}, {.rounds = 1, .warm_up = 1, .settle = microseconds(300)});
  CHECK(order ==
        "abc"
        "aaa"
        "b"
        "ccccccccccc");
  CHECK(spreads[0].median_us == 30);
  CHECK(spreads[1].median_us == 300);
  CHECK(spreads[2].rounds == 1);
}

TEST_CASE("a run that has used up its budget is left out, and the others go on") {
  int slow_calls = 0, fast_calls = 0, hopeless_calls = 0;
  const Run slow = [&]() -> nanoseconds { return ++slow_calls, milliseconds(40); };
  const Run fast = [&]() -> nanoseconds { return ++fast_calls, milliseconds(1); };
  const Run hopeless = [&]() -> nanoseconds { return ++hopeless_calls, milliseconds(3000); };
  const auto spreads = time_in_turns({slow, fast, hopeless}, {.rounds = 10, .warm_up = 1, .budget = milliseconds(100)});
  CHECK(slow_calls == 3);  // 40, 80 and 120 ms: the last one begins below the limit
  CHECK(spreads[0].rounds == 2);
  CHECK(fast_calls == 11);
  CHECK(spreads[1].rounds == 10);
  CHECK(hopeless_calls == 1);  // its warm-up is its only call
  CHECK(spreads[2].rounds == 1);
  CHECK(spreads[2].median_us == 3e6);
}
