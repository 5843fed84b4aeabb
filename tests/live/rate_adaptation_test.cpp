// The rate follows receivers' feedback: down at once, up slowly, and constant in between.
#include "live/rate_adaptation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr double kLeast = 4e6, kMost = 30e6;

// A path to one receiver, at 60 frames a second.
class Path {
 public:
  RateAdaptation rate{kLeast, kMost};
  double loss = 0;    // as reported by NACKs
  double used = 0.9;  // of the rate
  bool hears = true;
  bool group = false;

  void pass(nanoseconds time) {
    for (const SteadyTime end = now_ + time; now_ < end; now_ += 16'666'667ns) {
      const double bytes = used * rate.bits_per_s() / 8 / 60;
      bytes_ += bytes;
      packets_ += bytes / 1400;
      again_ += loss * bytes / 1400;
      look();
    }
  }
  void report(double fraction, double trip_ms, double jitter_ms = 2) {
    receivers_ = {{.ssrc = 7, .loss = fraction, .jitter_ms = jitter_ms, .round_trip_ms = trip_ms, .heard = now_}};
    look();
  }
  // Each report comes from another host.
  void report_all(const std::vector<double>& losses) {
    receivers_.clear();
    for (size_t i = 0; i < losses.size(); ++i) add(static_cast<uint32_t>(i), "10.0.0." + std::to_string(i), losses[i]);
    look();
  }
  void add(uint32_t ssrc, const std::string& host, double fraction) {
    receivers_.push_back({.ssrc = ssrc,
                          .loss = fraction,
                          .jitter_ms = 2,
                          .round_trip_ms = 4,
                          .heard = now_,
                          .address = host + ":" + std::to_string(5000 + ssrc)});
  }
  void look_now() { look(); }
  double bits() const { return rate.bits_per_s(); }

 private:
  void look() {
    rate.look(now_, {.packets = static_cast<uint64_t>(packets_),
                     .again = static_cast<uint64_t>(again_),
                     .line_bytes = static_cast<uint64_t>(bytes_),
                     .to_group = group,
                     .hears_losses = hears,
                     .receivers = receivers_});
  }
  SteadyTime now_{1000s};
  double bytes_ = 0, packets_ = 0, again_ = 0;
  std::vector<transport::ReceiverOpinion> receivers_{};
};

}  // namespace

TEST_CASE("rate adaptation: begins between the bounds, and rises to the maximum without faults") {
  Path path;
  CHECK(path.bits() == doctest::Approx(std::sqrt(kLeast * kMost)));
  path.pass(2s);
  CHECK(path.bits() < 0.7 * kMost);
  path.pass(8s);
  CHECK(path.bits() == kMost);
}

TEST_CASE("rate adaptation: losses halve it within half a second, down to the minimum, and it recovers slowly") {
  Path path;
  path.pass(20s);
  path.loss = 0.3;
  path.pass(500ms);
  CHECK(path.bits() <= 0.5 * kMost);
  path.pass(2s);
  CHECK(path.bits() == kLeast);
  path.loss = 0;
  path.pass(2s);
  CHECK(path.bits() == kLeast);
  path.pass(10s);
  CHECK(path.bits() < 0.5 * kMost);
  path.pass(30s);
  CHECK(path.bits() == kMost);
}

TEST_CASE("rate adaptation: a little loss stops the increase") {
  Path path;
  path.pass(3s);
  path.loss = 0.02;
  path.pass(500ms);
  const double before = path.bits();
  path.pass(20s);
  CHECK(path.bits() == before);
}

TEST_CASE("rate adaptation: a single lost packet changes nothing") {
  Path path;
  path.pass(3s);
  path.loss = 0.004;
  const double before = path.bits();
  path.pass(3s);
  CHECK(path.bits() > before);
}

TEST_CASE("rate adaptation: two of a few packets that were requested too early only stop the increase") {
  Path path;
  path.used = 0.05;  // 20 packets in a tenth of a second
  path.loss = 0.025;
  const double before = path.bits();
  path.pass(3s);
  CHECK(path.bits() == before);
}

TEST_CASE("rate adaptation: reports reveal loss if nobody sends NACKs, once for each report") {
  Path path;
  path.pass(1s);
  path.report(0, 4);
  path.pass(3s);
  const double before = path.bits();
  path.report(0.10, 4);
  CHECK(path.bits() == doctest::Approx(before * 0.8));
  const double after = path.bits();
  path.pass(1500ms);
  CHECK(path.bits() == after);
}

TEST_CASE("rate adaptation: loss known from NACKs is not counted again by a later report") {
  Path path;
  path.report(0, 4);
  path.pass(20s);
  path.loss = 0.06;
  path.pass(450ms);
  path.loss = 0;
  const double after = path.bits();
  CHECK(after < kMost);
  path.pass(1s);
  path.report(0.05, 4);
  CHECK(path.bits() == after);
  path.pass(1s);
  path.report(0.05, 4);  // that is new
  CHECK(path.bits() < after);
}

TEST_CASE("rate adaptation: a growing round trip lowers it, a slightly longer one and more jitter stop the increase") {
  Path path;
  path.report(0, 10);
  path.pass(4s);
  double before = path.bits();
  path.report(0, 25);
  path.pass(1900ms);
  CHECK(path.bits() == before);
  path.pass(4s);
  CHECK(path.bits() > before);
  before = path.bits();
  path.report(0, 60);
  CHECK(path.bits() == doctest::Approx(before * RateAdaptation::kLeastLess));
  path.pass(4s);
  before = path.bits();
  path.report(0, 10, 40);
  path.pass(1900ms);
  CHECK(path.bits() == before);
}

TEST_CASE("rate adaptation: an unused rate, and paths without reports, prove nothing") {
  Path desktop;
  desktop.used = 0.1;
  const double begun = desktop.bits();
  desktop.pass(30s);
  CHECK(desktop.bits() == begun);
  Path group;
  group.hears = false;
  group.pass(30s);
  CHECK(group.bits() == begun);
  group.report(0, 3);
  group.pass(30s);
  CHECK(group.bits() == kMost);
}

TEST_CASE("rate adaptation: in a group the median counts, and one member with high loss lowers nobody's rate") {
  Path group;
  group.group = true;
  group.hears = false;
  group.report_all({0, 0, 0, 0.5});
  group.pass(30s);
  group.report_all({0, 0, 0, 0.5});
  group.pass(30s);
  CHECK(group.bits() == kMost);
  group.report_all({0.1, 0, 0.1, 0.5});
  CHECK(group.bits() == doctest::Approx(kMost * 0.8));
}

TEST_CASE("rate adaptation: many members at one host of a group count once") {
  Path group;
  group.group = true;
  for (uint32_t i = 0; i < 3; ++i) group.add(i, "10.0.0." + std::to_string(i), 0);
  for (uint32_t i = 0; i < 40; ++i) group.add(100 + i, "10.0.0.66", 0.9);
  const double before = group.bits();
  group.look_now();
  CHECK(group.bits() == before);
}

TEST_CASE("rate adaptation: the worst of several unicast destinations counts") {
  Path path;
  const double before = path.bits();
  path.report_all({0, 0, 0, 0.1});
  CHECK(path.bits() == doctest::Approx(before * 0.8));
}

TEST_CASE("rate adaptation: after a decrease the members' older reports no longer count") {
  Path group;
  group.group = true;
  group.report_all({0.1, 0.1, 0.1});
  const double after = group.bits();
  group.pass(1s);
  group.add(9, "10.0.0.9", 0);
  group.look_now();
  CHECK(group.bits() == after);
}
