// Latencies of pictures and clicks compared with their stages, computed from times.
#include "latency/latency_report.h"

#include <doctest/doctest.h>

#include <string>

#include "media/time_code.h"

using namespace texcast;
using namespace texcast::cli;
using namespace std::chrono_literals;

namespace {

constexpr WallTime kDrawnAt{1'795'420'800s + 250us};

// Frame n was captured n * 20 ms after the first, uploaded 8 ms and presented 10 ms after that.
player::ShownFrame frame(int n, nanoseconds network = 1ms) {
  const WallTime available = kDrawnAt + n * 20ms;
  player::ShownFrame shown{.number = static_cast<uint64_t>(n)};
  shown.times.available = available;
  shown.times.sent = available + 2ms;
  shown.times.first_packet = available + 2ms + network;
  shown.times.uploaded = available + 8ms;
  shown.times.presented = available + 10ms;
  return shown;
}

Grab grab(int n, nanoseconds drawn, nanoseconds there) {
  const WallTime available = kDrawnAt + n * 20ms;
  return {.code = media::code_of(available), .drawn = available + drawn, .there = available + there};
}

SeenPictures three_shown() {
  SeenPictures seen;
  for (int n = 5; n < 8; ++n) seen.shown(frame(n));
  return seen;
}

}  // namespace

TEST_CASE("the latency of a picture on the surface is the time from its code to its presentation") {
  SeenPictures seen;
  seen.looked_at(frame(5), media::code_of(frame(5).times.available));
  seen.looked_at(frame(6), std::nullopt);
  CHECK(seen.looked_at() == 2);
  CHECK(seen.read() == 1);
  CHECK(seen.ages().measured.percentile(0.5) == 10ms + 250us);  // the code has whole milliseconds
  CHECK(seen.ages().of_stages.percentile(0.5) == 10ms);
  CHECK(seen.ages().difference.percentile(0.5) == 250us);
  // The code of another picture is not used.
  seen.looked_at(frame(7), media::code_of(frame(6).times.available));
  CHECK(seen.ages().difference.percentile(1) == 20ms + 250us);
}

TEST_CASE("a picture on the screen counts from its drawing, or from its capture if the previous one was drawn then") {
  SeenPictures seen = three_shown();
  const Grab grabs[] = {grab(4, 12ms, 13ms), grab(5, 12ms, 15ms), grab(6, -3ms, 14ms), grab(9, 12ms, 13ms)};
  seen.grabbed(grabs);
  CHECK(seen.looked_at() == 3);  // the first belongs to the skipped frames
  CHECK(seen.read() == 2);       // the last is not known to have been shown
  CHECK(seen.on_screen().count() == 2);
  CHECK(seen.on_screen().percentile(0.5) == 2ms);
  CHECK(seen.on_screen().percentile(1) == 4ms);
  CHECK(seen.ages().of_stages.percentile(0.5) == 12ms);
  CHECK(seen.ages().of_stages.percentile(1) == 14ms);
  CHECK(seen.ages().difference.percentile(1) == 250us);
  SeenPictures nothing;
  nothing.grabbed(grabs);
  CHECK(nothing.looked_at() == 0);
}

TEST_CASE("the offset of two clocks is bounded by the minimum delay of first packets") {
  SeenPictures seen = three_shown();
  CHECK(seen.least_network() == 1ms);
  seen.shown(frame(8, -2ms));
  seen.shown(frame(9, 3ms));
  CHECK(seen.least_network() == -2ms);
  CHECK(clocks_text(250us) ==
        "this clock is ahead of the sender's by at most 0.25 ms, or behind it by at most the round trip that the "
        "sender reports minus 0.25 ms");
  CHECK(clocks_text(-2ms) ==
        "this clock is behind the sender's by at least 2.00 ms, at most 2.00 ms plus the round trip that the sender "
        "reports");
  CHECK_FALSE(SeenPictures().least_network().has_value());
}

TEST_CASE("the latency of a click is the time since a half second; those of the first second do not count") {
  HeardClicks clicks;
  for (int n = 0; n < 5; ++n) {
    const WallTime made{1'795'420'800s + n * 500ms};
    const stream::HeardClick click{.captured = made + 1ms,  // an error in the stream's time stamp
                                   .block_end = made + 4ms,
                                   .arrived = made + 6ms,
                                   .given = made + 30ms,
                                   .heard = made + 42ms};
    clicks.heard({&click, 1});
  }
  CHECK(clicks.count() == 3);
  Json report = Json::object({});
  clicks.add_to(report);
  const std::string text = report.text();
  CHECK(text.find("\"clicks\": 3") != std::string::npos);
  for (const char* figure :
       {"\"measured_ms\": {\"p50\": 42", "\"sum_of_stages_ms\": {\"p50\": 41", "\"difference_ms\": {\"p50\": 1",
        "\"packet\": {\"p50\": 3", "\"network\": {\"p50\": 2", "\"wait\": {\"p50\": 24", "\"device\": {\"p50\": 12"}) {
    CAPTURE(text);
    CHECK_MESSAGE(text.find(figure) != std::string::npos, figure);
  }
}
