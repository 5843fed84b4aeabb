// How the rate follows what receivers say: down at once, up slowly, and not at all in between.
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

// A way to one receiver, at 60 frames a second.
class Way {
 public:
  RateAdaptation rate{kLeast, kMost};
  double loss = 0;    // that requests tell of
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
  // Each of them at a host of its own.
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

TEST_CASE("rate adaptation: it begins in between, and climbs to the most where nothing is wrong") {
  Way way;
  CHECK(way.bits() == doctest::Approx(std::sqrt(kLeast * kMost)));
  way.pass(2s);
  CHECK(way.bits() < 0.7 * kMost);
  way.pass(8s);
  CHECK(way.bits() == kMost);
}

TEST_CASE("rate adaptation: losses halve it within half a second, down to the least, and it comes back slowly") {
  Way way;
  way.pass(20s);
  way.loss = 0.3;
  way.pass(500ms);
  CHECK(way.bits() <= 0.5 * kMost);
  way.pass(2s);
  CHECK(way.bits() == kLeast);
  way.loss = 0;
  way.pass(2s);
  CHECK(way.bits() == kLeast);
  way.pass(10s);
  CHECK(way.bits() < 0.5 * kMost);
  way.pass(30s);
  CHECK(way.bits() == kMost);
}

TEST_CASE("rate adaptation: a little loss holds it") {
  Way way;
  way.pass(3s);
  way.loss = 0.02;
  way.pass(500ms);
  const double before = way.bits();
  way.pass(20s);
  CHECK(way.bits() == before);
}

TEST_CASE("rate adaptation: a single packet that is lost changes nothing") {
  Way way;
  way.pass(3s);
  way.loss = 0.004;
  const double before = way.bits();
  way.pass(3s);
  CHECK(way.bits() > before);
}

TEST_CASE("rate adaptation: two packets of a few that were asked for too soon hold it, and no more") {
  Way way;
  way.used = 0.05;  // 20 packets a tenth of a second
  way.loss = 0.025;
  const double before = way.bits();
  way.pass(3s);
  CHECK(way.bits() == before);
}

TEST_CASE("rate adaptation: reports tell of loss where nobody asks for packets, once for each report") {
  Way way;
  way.pass(1s);
  way.report(0, 4);
  way.pass(3s);
  const double before = way.bits();
  way.report(0.10, 4);
  CHECK(way.bits() == doctest::Approx(before * 0.8));
  const double after = way.bits();
  way.pass(1500ms);
  CHECK(way.bits() == after);
}

TEST_CASE("rate adaptation: what requests told of is not counted again by the report that comes later") {
  Way way;
  way.report(0, 4);
  way.pass(20s);
  way.loss = 0.06;
  way.pass(450ms);
  way.loss = 0;
  const double after = way.bits();
  CHECK(after < kMost);
  way.pass(1s);
  way.report(0.05, 4);
  CHECK(way.bits() == after);
  way.pass(1s);
  way.report(0.05, 4);  // that is news
  CHECK(way.bits() < after);
}

TEST_CASE("rate adaptation: a growing round trip lowers it, a slightly longer one and more jitter hold it") {
  Way way;
  way.report(0, 10);
  way.pass(4s);
  double before = way.bits();
  way.report(0, 25);
  way.pass(1900ms);
  CHECK(way.bits() == before);
  way.pass(4s);
  CHECK(way.bits() > before);
  before = way.bits();
  way.report(0, 60);
  CHECK(way.bits() == doctest::Approx(before * RateAdaptation::kLeastLess));
  way.pass(4s);
  before = way.bits();
  way.report(0, 10, 40);
  way.pass(1900ms);
  CHECK(way.bits() == before);
}

TEST_CASE("rate adaptation: what is not used, and ways of which nothing is heard, prove nothing") {
  Way desktop;
  desktop.used = 0.1;
  const double begun = desktop.bits();
  desktop.pass(30s);
  CHECK(desktop.bits() == begun);
  Way group;
  group.hears = false;
  group.pass(30s);
  CHECK(group.bits() == begun);
  group.report(0, 3);
  group.pass(30s);
  CHECK(group.bits() == kMost);
}

TEST_CASE("rate adaptation: in a group the median counts, and one member that loses much takes nobody's rate") {
  Way group;
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

TEST_CASE("rate adaptation: many members at one host of a group have one voice") {
  Way group;
  group.group = true;
  for (uint32_t i = 0; i < 3; ++i) group.add(i, "10.0.0." + std::to_string(i), 0);
  for (uint32_t i = 0; i < 40; ++i) group.add(100 + i, "10.0.0.66", 0.9);
  const double before = group.bits();
  group.look_now();
  CHECK(group.bits() == before);
}

TEST_CASE("rate adaptation: of hosts that the stream is sent to one by one the worst counts") {
  Way way;
  const double before = way.bits();
  way.report_all({0, 0, 0, 0.1});
  CHECK(way.bits() == doctest::Approx(before * 0.8));
}

TEST_CASE("rate adaptation: after a cut the members' older reports count no more") {
  Way group;
  group.group = true;
  group.report_all({0.1, 0.1, 0.1});
  const double after = group.bits();
  group.pass(1s);
  group.add(9, "10.0.0.9", 0);
  group.look_now();
  CHECK(group.bits() == after);
}
