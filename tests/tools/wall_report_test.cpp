// Players of a wall compared: who is ahead, and whose clock is off.
#include "control/wall_report.h"

#include <doctest/doctest.h>

using namespace texcast;
using namespace texcast::control;

namespace {

WallPlayer one_player(std::string name, double delay_ms, double clock_ms = 0) {
  WallPlayer made{.name = std::move(name)};
  made.timing.emplace().delay_ms = delay_ms;
  made.clock = {clock_ms, clock_ms + 0.5};
  return made;
}

}  // namespace

TEST_CASE("a player is ahead of the median by the difference of their delays") {
  WallPlayer silent{.name = "d", .problem = "cannot connect"};
  const WallReport report =
      compare_players({one_player("a", 103), one_player("b", 100), one_player("c", 116.5), silent});
  REQUIRE(report.rows.size() == 4);
  CHECK(report.rows[0].ahead_ms == 0);
  CHECK(report.rows[1].ahead_ms == 3);
  CHECK(report.rows[2].ahead_ms == -13.5);
  CHECK_FALSE(report.rows[3].ahead_ms);
  CHECK(report.skew_ms == 16.5);
  CHECK(report.first == "b");
  CHECK(report.last == "c");
  CHECK(report.missing == 1);
  const auto lines = table_of(report);
  CHECK(lines.size() == 6);
  CHECK(lines[4].find("cannot connect") != std::string::npos);
  CHECK(lines[5] == "b is 16.5 ms ahead of c");
}

TEST_CASE("clocks that differ are said to") {
  CHECK(table_of(compare_players({one_player("a", 100), one_player("b", 100, 4)})).size() == 4);
  const auto lines = table_of(compare_players({one_player("a", 100), one_player("b", 100, 50)}));
  REQUIRE(lines.size() == 5);
  CHECK(lines[4].starts_with("the clocks differ by 50.0 ms"));
}

TEST_CASE("each question narrows the difference of the clocks") {
  ClockBounds clock;
  constexpr int64_t kMs = 1'000'000;
  clock.narrow(1000 * kMs, 1012 * kMs, 1013 * kMs);  // the question waited for 12 ms
  CHECK(clock.offset_ms() == -1);
  CHECK(clock.uncertainty_ms() == 13);
  clock.narrow(2000 * kMs, 2001 * kMs, 2003 * kMs);
  CHECK(clock.offset_ms() == -1);
  CHECK(clock.uncertainty_ms() == 2);
}

TEST_CASE("a timing survives its JSON, and anything else is none") {
  const PlayerTiming timing{.has_frame = true,
                            .frame = 7,
                            .stamp_ns = 1'795'949'301'101'784'035,
                            .due_ns = 1'795'949'301'201'784'035,
                            .shown_ns = 1'795'949'301'202'716'693,
                            .delay_ms = 100.9,
                            .behind_ms = 0.9,
                            .refresh_ms = 16.7,
                            .shown = 8,
                            .late = 2,
                            .missed = 3,
                            .by_system = true,
                            .clock = "ptp",
                            .error_ms = 0.01,
                            .now_ns = 5};
  const auto answer = [](const std::string& data) {
    return parse_message(R"({"error": "success", "data": )" + data + "}").value();
  };
  const auto read = parse_timing(answer(to_json(timing).text()));
  REQUIRE(read);
  CHECK(to_json(*read).text() == to_json(timing).text());
  for (const char* odd : {"null", "7", "[]", "{}", R"({"frames": 1})", R"({"frames": {}})"})
    CHECK_FALSE(parse_timing(answer(odd)));
  CHECK(parse_timing(answer(R"({"frames": 1, "clock": [], "frame": "x"})")));  // all unknown
}
