// A program's sound in blocks of any length becomes pieces with positions and times, and the pictures give its place.
#include "sound_pieces.h"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "live/picture_clock.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr AudioFormat kFormat{.rate = 48000, .channels = 2};
constexpr uint32_t kPiece = 240;

// Samples that count from `first`.
std::vector<float> counted(size_t frames, float first = 0) {
  std::vector<float> samples(2 * frames);
  std::iota(samples.begin(), samples.end(), first);
  return samples;
}

}  // namespace

TEST_CASE("blocks of any length become pieces of one length, without a gap") {
  SoundPieces pieces(kFormat, kPiece);
  nanoseconds pts = 1s;
  float next = 0;
  uint64_t position = 0;
  for (const size_t frames : {1, 239, 240, 500, 3, 1000, 17}) {
    pieces.put(counted(frames, next), pts);
    next += static_cast<float>(2 * frames);
    pts += nanoseconds(static_cast<int64_t>(frames) * 1'000'000'000 / 48000);
    while (const auto piece = pieces.take()) {
      CHECK(piece->position == position);
      CHECK(std::chrono::abs(piece->pts - 1s - nanoseconds(static_cast<int64_t>(position) * 1'000'000'000 / 48000)) <
            100ns);
      CHECK(piece->samples.size() == 2 * kPiece);
      CHECK(piece->samples.front() == static_cast<float>(2 * position));
      CHECK(piece->samples.back() == static_cast<float>(2 * (position + kPiece) - 1));
      position += kPiece;
    }
  }
  CHECK(position == 1920);
  CHECK_FALSE(pieces.empty());
  CHECK(pieces.duration() == 80 * 1'000'000'000ns / 48000);
}

TEST_CASE("after a gap the position skips it, and the piece in progress ends with silence") {
  SoundPieces pieces(kFormat, kPiece);
  pieces.put(counted(300), 0ms);
  pieces.put(counted(kPiece), 110ms);
  REQUIRE(pieces.take());
  const auto rest = pieces.take();
  REQUIRE(rest);
  CHECK(rest->position == kPiece);
  CHECK(rest->samples[2 * 60 - 1] == 599);
  CHECK(rest->samples[2 * 60] == 0);
  const auto later = pieces.take();
  REQUIRE(later);
  CHECK(later->pts == 110ms);
  CHECK(later->position == 110 * 48);
  CHECK_FALSE(pieces.take());
}

TEST_CASE("time that goes back moves the time, not the position; small differences are followed, and tiny ones not") {
  SoundPieces pieces(kFormat, kPiece);
  const struct {
    nanoseconds given, pts;
  } kBlocks[] = {{5s, 5s}, {1s, 1s}, {1s + 6ms, 1s + 5ms}, {1s + 20ms, 1s + 20ms}, {1s + 24ms, 1s + 25ms}};
  uint64_t position = 0;
  for (const auto& block : kBlocks) {
    pieces.put(counted(kPiece), block.given);
    const auto piece = pieces.take();
    REQUIRE(piece);
    CHECK(piece->pts == block.pts);
    CHECK(piece->position == position);
    position += kPiece;
  }
}

TEST_CASE("a picture clock follows drift, ignores one late picture, and jumps when two agree") {
  PictureClock clock;
  CHECK_FALSE(clock.zero());
  clock.on_frame(0ms, WallTime{});  // unknown
  CHECK_FALSE(clock.zero());
  const auto frame = [&](int n, nanoseconds late) { clock.on_frame(n * 20ms, WallTime(100s + n * 20ms + late)); };
  frame(0, 0ms);
  CHECK(*clock.zero() == 100s);
  frame(1, 300ms);
  CHECK(*clock.zero() == 100s);
  for (int n = 2; n < 300; ++n) frame(n, 3ms);
  CHECK(std::chrono::abs(*clock.zero() - 100s - 3ms) < 10us);
  frame(300, 500ms);
  CHECK(std::chrono::abs(*clock.zero() - 100s - 3ms) < 10us);
  frame(301, 501ms);
  CHECK(*clock.zero() == 100s + 501ms);
}
