// Assigns pieces of a file's audio to frames: in order, through loops, and with late pictures.
#include "sound_timeline.h"

#include <doctest/doctest.h>

#include "../times.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {
constexpr WallTime kFirstShown{1'700'000'000s};
constexpr nanoseconds kShown = 40ms;
}  // namespace

TEST_CASE("pieces follow each other at the rate of the video, and are due with their frame") {
  SoundTimeline timeline(48000, 240);
  CHECK_FALSE(timeline.due());
  timeline.on_frame(0ns, 3s, kFirstShown);
  for (int i = 0; i < 400; ++i) {
    if (i % 8 == 0) timeline.on_frame(i * 5ms, 3s + i * 5ms, kFirstShown + i * 5ms);
    CHECK(*timeline.due() == kFirstShown + i * 5ms + SoundTimeline::kBehind);
    const auto piece = timeline.take();
    CHECK(piece.position == 240u * static_cast<unsigned>(i));
    CHECK(piece.captured == kFirstShown + i * 5ms);
    REQUIRE(piece.parts.size() == 1);
    CHECK(piece.parts[0].samples == 240);
    CHECK(piece.parts[0].seek.has_value() == (i == 0));
    if (i == 0) CHECK(*piece.parts[0].seek == 3s);
  }
}

TEST_CASE("a loop restarts at the exact sample, also within a piece") {
  SoundTimeline timeline(48000, 240);
  // Laps of 102 ms: three frames of 34 ms.
  int seeks = 0;
  int64_t place = 0;  // in samples
  for (int i = 0; i < 200; ++i) {
    const nanoseconds until = (i + 3) * 5ms;  // frames come before their audio
    static int frame = 0;
    for (; frame * 34ms <= until; ++frame)
      timeline.on_frame(frame * 34ms, frame % 3 * 34ms, kFirstShown + frame * 34ms);
    const auto piece = timeline.take();
    for (const auto& part : piece.parts) {
      if (part.seek) {
        ++seeks;
        CHECK(*part.seek == 0ns);
        CHECK((place == 0 || place == 4896));  // 102 ms
        place = 0;
      }
      place += part.samples;
    }
  }
  CHECK(seeks == 10);
}

TEST_CASE("after a pause the audio continues with the picture") {
  SoundTimeline timeline(48000, 240);
  timeline.on_frame(0ns, 0ns, kFirstShown);
  for (int i = 0; i < 8 + 200; ++i) timeline.take();  // 40 ms, and a second without a frame
  timeline.on_frame(1s + kShown, kShown, kFirstShown + 1s + kShown);
  const auto piece = timeline.take();
  CHECK(piece.captured == kFirstShown + 1s + kShown);
  REQUIRE(piece.parts.size() == 1);
  REQUIRE(piece.parts[0].seek);
  CHECK(*piece.parts[0].seek == kShown);
}

TEST_CASE("a late picture delays the audio by the same time; clock drift is followed") {
  SoundTimeline timeline(48000, 240);
  timeline.on_frame(0ns, 0ns, kFirstShown);
  for (int i = 0; i < 8; ++i) timeline.take();
  timeline.on_frame(kShown, kShown, kFirstShown + kShown + 100ms);
  const auto piece = timeline.take();
  CHECK(piece.position == 8 * 240 + 4800);
  CHECK(piece.captured == kFirstShown + 40ms + 100ms);
  CHECK_FALSE(piece.parts[0].seek);

  SoundTimeline creeping(48000, 240);
  uint64_t position = 0;
  WallTime captured{};
  for (int i = 0; i < 1000; ++i) {
    creeping.on_frame(i * kShown, i * kShown, kFirstShown + i * kShown + i * 20us);  // 500 ppm
    for (int k = 0; k < 8; ++k) {
      const auto one = creeping.take();
      position = one.position;
      captured = one.captured;
    }
  }
  CHECK(position == 7999 * 240);
  const nanoseconds exact = 7999 * 5ms + 999 * 20us;
  CHECK(std::chrono::abs(captured - kFirstShown - exact) < 1ms);
}
