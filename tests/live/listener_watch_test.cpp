#include "live/listener_watch.h"

#include <doctest/doctest.h>

using namespace texcast;
using namespace std::chrono_literals;
using stream::ListenerWatch;

namespace {

// Calls news() every tenth of a second until `until`; collects the lines with their times in milliseconds.
struct Watch {
  ListenerWatch watch;
  SteadyTime now{100s};
  const SteadyTime begun = now;
  explicit Watch(const std::vector<stream::WatchedDestination>& places) : watch(places) { watch.sent(now); }

  template <typename Each>
  std::vector<std::pair<int64_t, std::string>> until(nanoseconds time, Each&& each) {
    std::vector<std::pair<int64_t, std::string>> lines;
    for (; now < begun + time; now += 100ms) {
      each((now - begun) / 1ms);
      for (const auto& news : watch.news(now)) lines.emplace_back((now - begun) / 1ms, news.line);
    }
    return lines;
  }
};
const auto nothing = [](int64_t) {};

}  // namespace

TEST_CASE("a silent destination is named within two seconds, once, and again when it reports") {
  Watch w({{"a:5004", true}, {"b:5004", true}});
  const auto lines = w.until(10s, [&](int64_t ms) {
    if (ms == 600) w.watch.heard(0);
    if (ms == 5000) w.watch.heard(1);
  });
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].first >= 1500);
  CHECK(lines[0].first < 2000);
  CHECK(lines[0].second.starts_with("nobody reports from b:5004: "));
  CHECK(lines[1] == std::pair<int64_t, std::string>(5000, "a receiver at b:5004 reports"));
}

TEST_CASE("without reports about a coded stream, the receiver may be unable to decode it") {
  Watch w({{"a:5004", true, true}});
  const auto lines = w.until(10s, nothing);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].first < 2000);
  CHECK(lines[0].second.starts_with("nobody reports from a:5004: "));
  CHECK(lines[0].second.find("does not decode coded streams") != std::string::npos);
  CHECK(lines[0].second.find("--plain") != std::string::npos);
}

TEST_CASE("a closed port is named once; a single refusal while a receiver starts is ignored") {
  Watch w({{"a:5004", true}, {"b:5004", false}});
  const auto lines = w.until(8s, [&](int64_t ms) {
    if (ms % 1000 == 0 && ms < 4000) w.watch.refused(0, w.now);  // at the kernel's interval
    if (ms == 0) w.watch.refused(1, w.now);
    if (ms == 500) w.watch.heard(1);
    if (ms == 4500) w.watch.heard(0);
  });
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == std::pair<int64_t, std::string>(1000, "nobody listens at a:5004: its port is closed; sending on"));
  CHECK(lines[1] == std::pair<int64_t, std::string>(4500, "a receiver at a:5004 reports"));
}

TEST_CASE("a receiver that opens its port without reporting is detected by the end of refusals") {
  Watch w({{"sealed:5004", false}});
  const auto lines = w.until(12s, [&](int64_t ms) {
    if (ms % 1000 == 0 && ms <= 5000) w.watch.refused(0, w.now);
  });
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].second.starts_with("nobody listens at sealed:5004: "));
  CHECK(lines[1] == std::pair<int64_t, std::string>(8000, "sealed:5004 no longer refuses packets"));
}

TEST_CASE("a receiver that leaves and closes its port is reported") {
  Watch w({{"a:5004", true}});
  const auto lines = w.until(12s, [&](int64_t ms) {
    if (ms == 500 || ms == 3000) w.watch.heard(0);
    if (ms % 1000 == 0 && ms >= 6000) w.watch.refused(0, w.now);
  });
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].second.starts_with("nobody listens at a:5004 any more: "));
}

TEST_CASE("unknown states are not reported") {
  Watch w({{"239.1.2.3:5004", false}});
  CHECK(w.until(10s, nothing).empty());
}

// Anybody can send a report, and any host can refuse packets.
TEST_CASE("reports and refusals that alternate do not fill the log") {
  Watch w({{"a:5004", true}});
  const auto lines = w.until(600s, [&](int64_t ms) {
    if (ms % 1000 == 0 || ms % 1000 == 500) w.watch.refused(0, w.now);
    if (ms % 1000 == 900) w.watch.heard(0);
  });
  CHECK(lines.size() > 5);
  CHECK(lines.size() <= 5 + 10);
}
