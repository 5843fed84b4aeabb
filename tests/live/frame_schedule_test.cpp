// When the packets of a frame are sent, in simulated time: evenly, never earlier than those of a frame of the expected
// size, and never faster than the link's limit.
#include "frame_schedule.h"

#include <doctest/doctest.h>

#include <vector>

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr size_t kPacket = 1000;
constexpr size_t kFrameBytes = 200 * kPacket - 100;  // a little less than its packets, so that rounding is irrelevant
constexpr SteadyTime kFrameBegin{100s};

struct Batch {
  nanoseconds at{};  // since kFrameBegin
  size_t packets = 0;
};

// Sends available packets like PacedSender; the time between ticks passes at once.
class Line {
 public:
  explicit Line(const transport::PacerSettings& settings) : pacer(settings) {}
  // Sends all packets before `ready`. Returns the batches.
  std::vector<Batch> send(FrameSchedule& schedule, size_t ready) {
    std::vector<Batch> batches;
    while (left < ready) {
      Batch batch{.at = now - kFrameBegin};
      const size_t due = schedule.bytes_due(now);
      for (; left < ready && schedule.sent_bytes() < due; ++left, ++batch.packets) schedule.sent(kPacket);
      if (batch.packets > 0) batches.push_back(batch);
      if (left < ready) now = schedule.next_tick(now);
    }
    return batches;
  }
  transport::Pacer pacer;
  SteadyTime now = kFrameBegin;
  size_t left = 0;
};

}  // namespace

TEST_CASE("a frame is sent in equal batches, one per tick, over its part of the frame time") {
  Line line({.fps = 50, .spread = 0.5, .tick = 500us});
  FrameSchedule schedule(line.pacer, kFrameBytes, kFrameBegin);
  schedule.know(kFrameBytes, true);
  const auto batches = line.send(schedule, 200);
  REQUIRE(batches.size() == 20);  // 10 ms
  for (size_t i = 0; i < batches.size(); ++i) {
    CHECK(batches[i].at == i * 500us);
    CHECK(batches[i].packets == 10);
  }
}

TEST_CASE("a late sender sends what is due by then, and is on time again") {
  Line line({.fps = 50, .spread = 0.5, .tick = 500us});
  FrameSchedule schedule(line.pacer, kFrameBytes, kFrameBegin);
  schedule.know(kFrameBytes, true);
  line.now = kFrameBegin + 4200us;
  const auto batches = line.send(schedule, 200);
  REQUIRE(batches.size() == 12);
  CHECK(batches[0].packets == 90);  // of nine ticks
  CHECK(batches[1].at == 4500us);
  CHECK(batches[1].packets == 10);
  CHECK(batches.back().at == 9500us);
}

TEST_CASE("while the encoder has nothing the schedule stops, and does not catch up later") {
  Line line({.fps = 50, .spread = 0.5, .tick = 500us});
  FrameSchedule schedule(line.pacer, kFrameBytes, kFrameBegin);
  schedule.know(kFrameBytes, false);
  REQUIRE(line.send(schedule, 100).size() == 10);
  CHECK(line.now - kFrameBegin == 4500us);
  line.now += 7ms;
  schedule.starved(7ms);
  const auto batches = line.send(schedule, 200);
  REQUIRE(batches.size() == 10);
  CHECK(batches[0].at == 12ms);  // the next tick, seven milliseconds later
  for (const Batch& batch : batches) CHECK(batch.packets == 10);
}

TEST_CASE("a frame of unknown size is sent as fast as expected, and slower once its size is known") {
  Line line({.fps = 50, .spread = 0.5, .tick = 500us});
  FrameSchedule schedule(line.pacer, 100 * kPacket, kFrameBegin);
  schedule.know(20 * kPacket, false);  // less is known: the expected size counts
  REQUIRE(line.send(schedule, 20).size() == 4);
  CHECK(line.now - kFrameBegin == 1500us);
  schedule.know(400 * kPacket, false);  // more is known
  line.now = schedule.next_tick(line.now);
  CHECK(schedule.bytes_due(line.now) == 100 * kPacket);  // of five ticks of twenty
  schedule.know(30 * kPacket, true);                     // that was all
  CHECK(schedule.bytes_due(line.now) == 30 * kPacket / 4);
  CHECK(line.send(schedule, 30).back().at == 9500us);
}

TEST_CASE("a limited link: a frame takes as long as it must, and the next begins when the link is free") {
  Line line({.fps = 50, .spread = 0.5, .rate_bits_per_s = 8e6, .tick = 500us});  // 1000 bytes a millisecond
  FrameSchedule schedule(line.pacer, 30 * kPacket, kFrameBegin);
  schedule.know(30 * kPacket, true);
  const auto batches = line.send(schedule, 30);
  REQUIRE(batches.size() == 30);
  for (size_t i = 0; i < batches.size(); ++i) CHECK(batches[i].at == i * 1ms);
  CHECK(schedule.line_free() == kFrameBegin + 30ms);
  const transport::Pacer uncapped({.fps = 50});
  CHECK(FrameSchedule(uncapped, 30 * kPacket, kFrameBegin).line_free() == kFrameBegin);
}
