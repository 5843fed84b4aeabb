#include "bench/flow.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>

#include "bench/pipeline.h"

using namespace texcast;
using namespace texcast::bench;
using std::chrono::milliseconds;

namespace {

// A machine that works on one piece at a time and takes a given time for each. Only waiting advances its clock.
class FakeMachine {
 public:
  Flow flow(nanoseconds piece, int in_flight) {
    return {.begin =
                [=, this] {
                  free_at_ = std::max(free_at_, now_) + piece;
                  under_way_.push_back(free_at_);
                  most_ = std::max(most_, under_way_.size());
                  ++begun_;
                },
            .end =
                [this] {
                  REQUIRE_FALSE(under_way_.empty());
                  now_ = std::max(now_, under_way_.front());
                  under_way_.pop_front();
                },
            .in_flight = in_flight};
  }
  Clock clock() {
    return [this] { return now_; };
  }
  size_t under_way() const { return under_way_.size(); }
  size_t most_under_way() const { return most_; }
  int begun() const { return begun_; }

 private:
  SteadyTime now_{nanoseconds(1)}, free_at_{};
  std::deque<SteadyTime> under_way_;
  size_t most_ = 0;
  int begun_ = 0;
};

}  // namespace

TEST_CASE("a flow's rate is the machine's rate, without the time to fill and drain it") {
  FakeMachine machine;
  const auto rates =
      time_flows({machine.flow(milliseconds(4), 3)}, {.rounds = 2, .slice = milliseconds(100)}, machine.clock());
  REQUIRE(rates.size() == 1);
  CHECK(rates[0].per_second == doctest::Approx(250));
  CHECK(rates[0].slowest == doctest::Approx(250));
  CHECK(rates[0].fastest == doctest::Approx(250));
  CHECK(rates[0].rounds == 2);
  CHECK(rates[0].pieces == 50);  // 25 pieces of 4 ms are the slice of 100 ms
  CHECK(machine.most_under_way() == 3);
  CHECK(machine.under_way() == 0);
}

TEST_CASE("flows take turns, and do not affect each other's rate") {
  FakeMachine machine;
  const auto rates = time_flows({machine.flow(milliseconds(1), 2), machine.flow(milliseconds(10), 2)},
                                {.rounds = 3, .slice = milliseconds(50)}, machine.clock());
  CHECK(rates[0].per_second == doctest::Approx(1000));
  CHECK(rates[0].pieces == 150);
  CHECK(rates[1].per_second == doctest::Approx(100));
  CHECK(rates[1].pieces == 15);
}

TEST_CASE("the rate is the median of the rounds") {
  int call = 0;
  SteadyTime now{nanoseconds(1)};
  // Two pieces one at a time, then rounds of (fill, piece): 10, 20 and 100 ms per piece.
  const nanoseconds length[] = {milliseconds(1),  milliseconds(5), milliseconds(10), milliseconds(5),
                                milliseconds(20), milliseconds(5), milliseconds(100)};
  const Flow flow{.begin = [] {}, .end = [&] { now += length[call++]; }, .in_flight = 1};
  const auto rates = time_flows({flow}, {.rounds = 3, .slice = milliseconds(8)}, [&] { return now; });
  CHECK(call == 7);
  CHECK(rates[0].per_second == doctest::Approx(50));
  CHECK(rates[0].fastest == doctest::Approx(100));
  CHECK(rates[0].slowest == doctest::Approx(10));
}

TEST_CASE("a hopelessly slow flow is measured on a single piece") {
  FakeMachine machine;
  const auto rates = time_flows({machine.flow(milliseconds(500), 3)}, {.rounds = 5, .one_is_enough = milliseconds(250)},
                                machine.clock());
  CHECK(machine.begun() == 2);  // the first piece might have included compilation
  CHECK(rates[0].per_second == doctest::Approx(2));
  CHECK(rates[0].rounds == 0);
  CHECK(rates[0].pieces == 1);
  FakeMachine patient;
  const auto all = time_flows({patient.flow(milliseconds(500), 3)},
                              {.rounds = 2, .slice = milliseconds(1), .one_is_enough = nanoseconds{}}, patient.clock());
  CHECK(all[0].rounds == 2);
  CHECK(all[0].per_second == doctest::Approx(2));
}

TEST_CASE("percentages and gigabytes are computed from the uploads of the same run") {
  PipelineReport report;
  report.upload.frame_bytes = 3'110'400;
  report.upload.frames.per_second = 4000;
  report.upload.both_ways.per_second = 3800;
  report.qualities.resize(2);
  report.qualities[0].frames.per_second = 3600;
  report.qualities[1].frames.per_second = 5000;
  work_out(report);
  CHECK(report.upload.gigabytes_per_second == doctest::Approx(12.4416));
  CHECK(report.qualities[0].percent_of_upload == doctest::Approx(90));
  CHECK(report.qualities[1].percent_of_upload == doctest::Approx(125));
  CHECK(report.upload.both_ways_percent == doctest::Approx(95));
  report.upload.frames.per_second = 0;
  work_out(report);
  CHECK(report.qualities[0].percent_of_upload == 0);
}

TEST_CASE("the gain of several devices is relative to the mean of each device alone") {
  std::vector<PipelineReport> alone(2);
  PipelineReport together;
  for (PipelineReport* report : {&alone[0], &alone[1], &together}) report->qualities.resize(1);
  alone[0].qualities[0].frames.per_second = 900;
  alone[1].qualities[0].frames.per_second = 1100;
  together.qualities[0].frames.per_second = 1900;
  CHECK(times_one(alone, together, 0) == doctest::Approx(1.9));
  alone[0].upload.frames.per_second = 4000;
  alone[1].upload.frames.per_second = 2000;
  together.upload.frames.per_second = 4500;
  CHECK(upload_times_one(alone, together) == doctest::Approx(1.5));
  alone[1].qualities[0].frames.per_second = 0;  // it could not run
  CHECK(times_one(alone, together, 0) == 0);
}
