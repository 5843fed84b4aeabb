// A screen as a source of frames. The capture is a fake that draws what the test says.
#include "screen_source.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <thread>

#include "media_test.h"
#include "screen/update_pace.h"
#include "screen_pace.h"
#include "texcast/tiles.h"

using namespace texcast;
using namespace texcast::test;
using screen::Rect;
using screen::ScreenUpdate;
using std::chrono::milliseconds;

namespace {

// Returns one scripted update per call; after these nothing changes.
class ScriptedCapture final : public screen::ScreenCapture {
 public:
  struct Step {
    std::vector<Rect> rects{};
    std::pair<int, int> size{};  // 0: unchanged
    bool same = false;           // the drawn content is there already
  };
  ScriptedCapture(int width, int height) { resize(width, height); }
  FrameFormat format() const override { return format_; }
  std::string name() const override { return "screen"; }
  void wake() override {}
  ScreenUpdate wait(SteadyTime deadline) override {
    damage_.clear();
    bool resized = false, same = false;
    if (first_) {
      damage_.push_back({0, 0, format_.width, format_.height});
    } else if (!steps.empty()) {
      const Step step = steps.front();
      steps.pop_front();
      if (step.size.first > 0) {
        resize(step.size.first, step.size.second);
        resized = true;
      }
      damage_ = step.rects;
      same = step.same;
    } else {
      waits.push_back(deadline - steady_now());
      std::this_thread::sleep_until(deadline);
    }
    first_ = false;
    for (const Rect& r : same ? std::vector<Rect>() : damage_)
      for (int y = r.y; y < r.y + r.height; ++y)
        for (int x = r.x; x < r.x + r.width; ++x)
          pixels[static_cast<size_t>(y * format_.width + x)] = static_cast<uint32_t>(random_());
    ScreenUpdate update{.picture = {.format = format_}, .damage = damage_, .captured = heard, .resized = resized};
    update.picture.planes[0] = {reinterpret_cast<const std::byte*>(pixels.data()), 4 * format_.width};
    return update;
  }

  std::deque<Step> steps;
  std::vector<uint32_t> pixels;
  std::vector<nanoseconds> waits;  // requested waiting times, when nothing changed
  WallTime heard = wall_now();

 private:
  void resize(int width, int height) {
    format_.width = width;
    format_.height = height;
    pixels.assign(static_cast<size_t>(width) * static_cast<size_t>(height), 0);
    for (uint32_t& pixel : pixels) pixel = static_cast<uint32_t>(random_());
  }
  FrameFormat format_{.pixel_format = PixelFormat::bgra, .color = kFullRange, .opaque = true};
  std::vector<Rect> damage_;
  std::mt19937 random_{3};
  bool first_ = true;
};

std::vector<uint32_t> words_of(const FrameView& view) {
  std::vector<uint32_t> pixels(static_cast<size_t>(view.format.width) * static_cast<size_t>(view.format.height));
  for (int y = 0; y < view.format.height; ++y)
    std::memcpy(pixels.data() + static_cast<ptrdiff_t>(y) * view.format.width,
                view.planes[0].data + y * view.planes[0].stride_bytes, static_cast<size_t>(view.format.width) * 4);
  return pixels;
}

// Tiles in which pixels differ, which must be reported.
std::vector<uint8_t> differing(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, int width, int height) {
  const TileRaster raster = tile_raster(width, height);
  std::vector<uint8_t> tiles(raster.count());
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) {
      const int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
      tiles[static_cast<size_t>(y / kTileHeight * raster.columns + x / kTileWidth)] = 1;
    }
  return tiles;
}

struct Scripted {
  explicit Scripted(media::SourceSettings settings = {.input = "screen", .fps = 1000}, int width = 200,
                    int height = 130) {
    auto made = std::make_unique<ScriptedCapture>(width, height);
    capture = made.get();
    source = media::make_screen_source(std::move(made), settings);
  }
  media::SourceFrame next() { return *source->next(); }
  ScriptedCapture* capture;
  std::unique_ptr<media::FrameSource> source;
};

}  // namespace

TEST_CASE("a screen's frames in an encoder's pool are brought up to date, whichever is reused") {
  Scripted s;
  const auto pool = FramePool::create(s.source->format(), 5);
  s.source->decode_into(pool);
  std::mt19937 random(11);
  const auto below = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  std::deque<FrameLease> encoder;  // a varying number of frames that the encoder reads
  std::vector<uint32_t> before;
  size_t told = 0, differ = 0;
  for (int n = 0; n < 60; ++n) {
    CAPTURE(n);
    if (n > 0) {
      ScriptedCapture::Step step;
      for (int i = below(3); i >= 0; --i) {
        const int x = below(200), y = below(130);
        step.rects.push_back({x, y, 1 + below(std::min(60, 200 - x)), 1 + below(std::min(40, 130 - y))});
      }
      s.capture->steps.push_back(step);
    }
    const media::SourceFrame frame = s.next();
    REQUIRE(words_of(frame.view) == s.capture->pixels);
    FrameLease share = pool->share(frame.view);
    REQUIRE(share);
    if (n > 0) {
      const auto must = differing(before, s.capture->pixels, 200, 130);
      REQUIRE(frame.view.changed.size() == must.size());
      for (size_t t = 0; t < must.size(); ++t) {
        REQUIRE(frame.view.changed[t] >= must[t]);
        told += frame.view.changed[t];
        differ += must[t];
      }
    } else {
      CHECK(frame.view.changed.empty());  // it is the first frame
    }
    before = s.capture->pixels;
    encoder.push_back(std::move(share));
    while (encoder.size() > static_cast<size_t>(1 + below(3))) encoder.pop_front();
  }
  CHECK(told == differ);
  CHECK(pool->frames() <= 4);
}

TEST_CASE("while an encoder has all frames of its pool, a screen's frames are elsewhere, and correct") {
  Scripted s;
  const auto pool = FramePool::create(s.source->format(), 1);
  s.source->decode_into(pool);
  const FrameLease held = pool->share(s.next().view);
  REQUIRE(held);
  const auto first = words_of(held.view());
  s.capture->steps.push_back({.rects = {{10, 10, 5, 5}}});
  const media::SourceFrame frame = s.next();
  CHECK_FALSE(pool->share(frame.view));
  CHECK(words_of(frame.view) == s.capture->pixels);
  CHECK(words_of(held.view()) == first);  // a frame that is being read is not written
  CHECK(std::count(frame.view.changed.begin(), frame.view.changed.end(), 1) == 1);
}

TEST_CASE("changes of frames that were not submitted are reported with the next") {
  Scripted s;
  s.next();
  const auto draw_at = [&](int x) { s.capture->steps.push_back({.rects = {{x, 0, 3, 3}}}); };
  draw_at(0);
  CHECK(s.next().view.changed[0] == 1);
  s.source->skipped();
  draw_at(70);
  const media::SourceFrame second = s.next();
  CHECK(second.view.changed[0] == 1);
  CHECK(second.view.changed[1] == 1);
  draw_at(140);
  const media::SourceFrame third = s.next();
  CHECK(third.view.changed[0] == 0);
  CHECK(third.view.changed[1] == 0);
  CHECK(third.view.changed[2] == 1);
  Scripted other;
  other.next();
  other.source->skipped();  // the first frame: then the changes of the second are unknown
  const media::SourceFrame next = other.next();
  CHECK(std::count(next.view.changed.begin(), next.view.changed.end(), 0) == 0);
}

TEST_CASE("an unchanged screen is sent three more times, and then at intervals as a sign of life") {
  Scripted s({.input = "screen", .fps = 100});
  s.next();
  s.capture->steps.push_back({.rects = {{0, 0, 3, 3}}});
  s.capture->heard = wall_now() - milliseconds(30);
  const media::SourceFrame changed = s.next();
  CHECK(changed.times.available == s.capture->heard);
  nanoseconds last = changed.times.pts;
  s.capture->waits.clear();
  for (int i = 0; i < 4; ++i) {
    const SteadyTime asked = steady_now();
    const media::SourceFrame again = s.next();
    CHECK(steady_now() - asked >= (i < 3 ? milliseconds(0) : milliseconds(150)));
    CHECK(std::count(again.view.changed.begin(), again.view.changed.end(), 0) ==
          static_cast<ptrdiff_t>(again.view.changed.size()));
    CHECK(again.view.changed.size() == tile_raster(200, 130).count());
    CHECK(words_of(again.view) == s.capture->pixels);
    CHECK(again.times.pts > last);
    CHECK(again.times.available > changed.times.available);
    last = again.times.pts;
  }
  REQUIRE(s.capture->waits.size() >= 4);
  CHECK(s.capture->waits[0] <= milliseconds(14));
  CHECK(s.capture->waits[2] <= milliseconds(14));
  CHECK(s.capture->waits.back() <= milliseconds(200));
}

TEST_CASE("content that is drawn again has not changed, and content of skipped frames has") {
  Scripted s;
  const auto pool = FramePool::create(s.source->format(), 4);
  s.source->decode_into(pool);
  s.next();
  const Rect all{0, 0, 200, 130};
  const auto told = [](const media::SourceFrame& frame) {
    return std::count(frame.view.changed.begin(), frame.view.changed.end(), 1);
  };
  s.capture->steps.push_back({.rects = {all}, .same = true});
  CHECK(told(s.next()) == 0);
  s.capture->steps.push_back({.rects = {{70, 0, 3, 3}}});
  CHECK(told(s.next()) == 1);
  s.source->skipped();
  s.capture->steps.push_back({.rects = {all}, .same = true});
  const media::SourceFrame frame = s.next();
  CHECK(told(frame) == 1);
  CHECK(frame.view.changed[1] == 1);
  CHECK(words_of(frame.view) == s.capture->pixels);
}

TEST_CASE("changes that come too often are combined") {
  Scripted s({.input = "screen", .fps = 20});
  s.next();
  const SteadyTime begin = steady_now();
  for (int i = 0; i < 40; ++i) s.capture->steps.push_back({.rects = {{64 * (i % 3), 0, 3, 3}}});
  const media::SourceFrame first = s.next();
  CHECK(words_of(first.view) == s.capture->pixels);
  s.next();
  CHECK(steady_now() - begin >= milliseconds(80));  // two frames at 20 per second, minus a small tolerance
  CHECK(s.capture->steps.empty());
}

// A screen on which something is drawn 60 times a second, its capture, and the source's pace, in simulated time.
// Returns the frames a second, and the longest time for which a change that the capture had reported waited in the last
// second.
struct Paced {
  double fps = 0;
  nanoseconds longest_wait{};
};
constexpr int kSeconds = 40;
constexpr double kTwoFrames = 2.0 / kSeconds;
Paced paced(double most_fps, bool capture_paces, nanoseconds most_late, int pause_every_s) {
  constexpr auto kStep = std::chrono::microseconds(200);
  std::mt19937 random(7);
  const SteadyTime begin{std::chrono::seconds(1000)};
  media::ScreenPace pace(most_fps);
  screen::UpdatePace capture(capture_paces ? most_fps : 0);
  pace.returned(begin, begin);
  capture.updated(begin);
  SteadyTime wakes = begin;  // of the capture
  bool drawn = false;
  std::optional<SteadyTime> updated, pending;
  int frames = 0;
  Paced result;
  for (SteadyTime now = begin; now < begin + std::chrono::seconds(kSeconds); now += kStep) {
    const nanoseconds since = now - begin;
    const bool is_pause =
        pause_every_s > 0 && since % std::chrono::seconds(pause_every_s) > milliseconds(pause_every_s * 900);
    if (!is_pause && since % std::chrono::microseconds(16'600) < kStep) drawn = true;
    if (now < capture.next() || !drawn) {
      wakes = now + nanoseconds(random() % static_cast<uint64_t>(most_late.count() + 1));
    } else if (now >= wakes) {
      drawn = false;
      capture.updated(now);
      updated = now;
      if (!pending) pending = now;
    }
    if (now < pace.latest() && (!updated || now < pace.earliest())) continue;
    ++frames;
    if (pending && since > std::chrono::seconds(kSeconds - 1))
      result.longest_wait = std::max(result.longest_wait, now - *pending);
    pace.returned(now, updated);
    updated.reset();
    pending.reset();
  }
  result.fps = static_cast<double>(frames) / kSeconds;
  return result;
}

TEST_CASE("a screen at --fps 20 runs at 20 frames a second, and not at 22") {
  for (const double fps : {1.0, 10.0, 20.0, 25.0, 59.0})
    for (const bool capture_paces : {true, false})
      for (const nanoseconds late : {nanoseconds(0), nanoseconds(milliseconds(1)), nanoseconds(milliseconds(5))}) {
        CAPTURE(fps);
        CAPTURE(capture_paces);
        CAPTURE(late.count());
        const Paced got = paced(fps, capture_paces, late, 0);
        CHECK(got.fps <= fps * 1.005 + kTwoFrames);
        if (late < from_seconds(1 / fps / 16)) CHECK(got.fps >= fps * 0.99 - kTwoFrames);
      }
}

TEST_CASE("the frames of a screen follow the updates of its capture, also after pauses") {
  const nanoseconds period = frame_period(20);
  CHECK(paced(20, true, milliseconds(1), 0).longest_wait <= period / 8);
  CHECK(paced(20, true, milliseconds(1), 7).longest_wait <= period / 8);
  CHECK(paced(20, true, milliseconds(1), 7).fps <= 20.2);
}

TEST_CASE("another size: a new format for a caller that follows it, fitted into the first one for others") {
  SUBCASE("followed") {
    Scripted s({.input = "screen", .fps = 1000, .follows_changes = true});
    const auto pool = FramePool::create(s.source->format(), 4);
    s.source->decode_into(pool);
    s.next();
    s.capture->steps.push_back({.rects = {{0, 0, 100, 80}}, .size = {100, 80}});
    const media::SourceFrame frame = s.next();
    CHECK(frame.view.format.width == 100);
    CHECK(frame.view.format.height == 80);
    CHECK(s.source->format() == frame.view.format);
    CHECK(frame.view.changed.empty());
    CHECK(words_of(frame.view) == s.capture->pixels);
    CHECK(pool->lent() == 0);
    const auto next_pool = FramePool::create(s.source->format(), 4);
    s.source->decode_into(pool);  // the old size: nothing happens
    s.source->decode_into(next_pool);
    s.capture->steps.push_back({.rects = {{90, 70, 10, 10}}});
    const media::SourceFrame second = s.next();
    CHECK(next_pool->share(second.view));
    CHECK(words_of(second.view) == s.capture->pixels);
    CHECK(std::count(second.view.changed.begin(), second.view.changed.end(), 1) == 1);
  }
  SUBCASE("fitted") {
    Scripted s({.input = "screen", .fps = 1000});
    const auto pool = FramePool::create(s.source->format(), 4);
    s.source->decode_into(pool);
    s.next();
    const FrameFormat first = s.source->format();
    s.capture->steps.push_back({.rects = {{0, 0, 130, 130}}, .size = {130, 130}});
    const media::SourceFrame frame = s.next();
    CHECK(frame.view.format == first);
    CHECK(s.source->format() == first);
    CHECK(frame.view.changed.empty());
    const auto fitted = words_of(frame.view);
    CHECK((fitted[65 * 200 + 10] & 0xFFFFFF) == 0);  // black bar at the left
    CHECK((fitted[65 * 200 + 100] & 0xFFFFFF) != 0);
    s.capture->steps.push_back({.rects = {{0, 0, 200, 130}}, .size = {200, 130}});
    const media::SourceFrame back = s.next();
    CHECK(back.view.changed.empty());  // the previous frame was a different picture
    CHECK(words_of(back.view) == s.capture->pixels);
    s.source->skipped();
    s.capture->steps.push_back({.rects = {{0, 0, 1, 1}}});
    const media::SourceFrame last = s.next();
    CHECK(std::count(last.view.changed.begin(), last.view.changed.end(), 0) == 0);
    CHECK(words_of(last.view) == s.capture->pixels);
  }
}
