// PipeWire streams with the properties in which compositors differ, made by the test.
#include <future>
#include <memory>
#include <optional>

#include "../../patience.h"
#include "capture_check.h"
#include "fake_portal.h"
#include "fake_screen.h"

using namespace texcast;
using namespace texcast::test;
using screen::CaptureSettings;
using screen::CaptureTarget;
using screen::CursorMode;

namespace {

// A screen, the portal that shares it, and a capture that has received its first picture.
struct Streaming {
  Streaming(const Picture& picture, const Shown& first, const ScreenKind& kind = {},
            const CaptureSettings& settings = {}, const Rect& place = {})
      : screen(picture.width, picture.height, kind), portal({.node = screen.node(), .place = place}) {
    auto shown = std::async(std::launch::async, [&] { screen.show(first); });
    capture = screen::open_wayland_capture(settings);
    shown.get();
  }
  explicit Streaming(const Picture& picture, const ScreenKind& kind = {})
      : Streaming(picture, {picture.texels}, kind) {}
  // Shows it, and returns what the capture then reports, combined until something has come.
  ScreenUpdate show(const Shown& shown) {
    screen.show(shown);
    return next();
  }
  ScreenUpdate next() {
    const SteadyTime deadline = steady_now() + test::kPatience;
    return capture->wait(deadline);
  }

  FakeScreen screen;
  FakePortal portal;
  std::unique_ptr<ScreenCapture> capture;
};

uint32_t red_first(uint32_t texel) { return (texel & 0xFF00) | (texel & 0xFF) << 16 | (texel >> 16 & 0xFF); }

}  // namespace

TEST_CASE("pictures are where the compositor drew them, with their damage") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  Picture picture(211, 103, 1);
  Streaming streaming(picture);
  CHECK(streaming.capture->format().width == 211);
  CHECK(streaming.capture->format().height == 103);
  CHECK(streaming.capture->refresh_rate() == doctest::Approx(75));
  const WallTime before_first = wall_now();
  const ScreenUpdate first = streaming.next();
  CHECK(shows(first.picture, picture));
  CHECK_FALSE(first.resized);
  CHECK(damage_of(first) == Rect{0, 0, 211, 103});
  CHECK(first.captured <= before_first);  // the time when it was drawn, not when it was requested
  CHECK(first.captured > before_first - 30s);

  // Nothing changes: the same picture, at the deadline.
  const ScreenUpdate still = streaming.capture->wait(steady_now() + 50ms);
  CHECK(shows(still.picture, picture));
  CHECK(still.damage.empty());

  const Rect part{40, 30, 17, 9};
  picture.fill(part, 2);
  const ScreenUpdate small = streaming.show({picture.texels, {part}});
  CHECK(shows(small.picture, picture));
  CHECK(damage_of(small) == with_margin(part));

  // Two pictures between two calls: the newer one, and the damage of both.
  const Rect left{0, 0, 10, 10}, right{200, 90, 11, 13};
  picture.fill(left, 3);
  streaming.screen.show({picture.texels, {left}});
  picture.fill(right, 4);
  streaming.screen.show({picture.texels, {right, {190, 80, 100, 100}}});  // partly outside the picture
  std::vector<uint32_t> seen = texels_of(small.picture);
  const Watched both = watch_until(*streaming.capture, picture, seen);
  CHECK(both.came);
  CHECK(both.damage_covers);

  // Without damage, or if a picture is missing between, everything may differ.
  picture.fill({5, 5, 3, 3}, 5);
  const Rect whole{0, 0, 211, 103};
  CHECK(damage_of(streaming.show({picture.texels, {}})) == whole);
  streaming.screen.show({.skipped = true});
  CHECK(damage_of(streaming.show({picture.texels, {part}})) == whole);
  CHECK(damage_of(streaming.show({picture.texels, {part}})) == with_margin(part));
  // A picture marked as corrupted is not shown, and the next one is taken completely.
  streaming.screen.show({.texels = Picture(211, 103, 6).texels, .damage = {part}, .broken = true});
  const ScreenUpdate mended = streaming.show({picture.texels, {part}});
  CHECK(shows(mended.picture, picture));
  CHECK(damage_of(mended) == whole);
  // Many small rectangles are combined into a few.
  std::vector<uint32_t> last = texels_of(mended.picture);
  for (int i = 0; i < 3; ++i) {
    std::vector<Rect> dots;
    for (int k = 0; k < 4; ++k) dots.push_back({i * 20, k * 25, 2, 2});
    for (const Rect& dot : dots) picture.fill(dot, 7 + i);
    streaming.screen.show({picture.texels, dots});
  }
  const Watched many = watch_until(*streaming.capture, picture, last);
  CHECK(many.came);
  CHECK(many.damage_covers);
}

TEST_CASE("a compositor without damage, and one whose texels have red first") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  Picture picture(64, 48, 1);
  {
    Streaming silent(picture, {.says_damage = false, .counts = false, .allocates = false});
    CHECK(shows(silent.next().picture, picture));
    picture.fill({1, 1, 5, 5}, 2);
    const ScreenUpdate update = silent.show({picture.texels});
    CHECK(shows(update.picture, picture));
    CHECK(damage_of(update) == Rect{0, 0, 64, 48});
  }
  const auto turned = [](const Picture& of) {
    std::vector<uint32_t> texels = of.texels;
    for (uint32_t& texel : texels) texel = red_first(texel);
    return texels;
  };
  Streaming swapped(picture, {turned(picture)}, {.format = SPA_VIDEO_FORMAT_RGBx});
  CHECK(shows(swapped.next().picture, picture));
  const Rect part{20, 10, 30, 3};
  picture.fill(part, 3);
  const ScreenUpdate update = swapped.show({turned(picture), {part}});
  CHECK(shows(update.picture, picture));
  CHECK(damage_of(update) == with_margin(part));
}

TEST_CASE("KWin offers DMA-BUF first, and at a scale of 1.5 its damage is short of a texel") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  Picture picture(96, 72, 1);
  Streaming kwin(picture, {.format = SPA_VIDEO_FORMAT_BGRA, .offers_dmabuf = true});
  CHECK(shows(kwin.next().picture, picture));
  // Units 1 to 3 are texels 1.5 to 4.5; KWin says 1 and a width of 3.
  picture.fill({1, 1, 4, 4}, 2);
  CHECK(shows(kwin.show({picture.texels, {{1, 1, 3, 3}}}).picture, picture));
}

TEST_CASE("a window in a larger picture, and one that grows") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  Picture picture(160, 120, 1);
  const Rect window{20, 10, 100, 60}, larger{10, 10, 140, 90}, part{30, 25, 10, 10};
  Streaming streaming(picture, {.texels = picture.texels, .crop = window});
  CHECK(streaming.capture->format().width == 100);
  CHECK(shows(streaming.next().picture, picture.part(window)));
  picture.fill(part, 2);
  {
    const ScreenUpdate update = streaming.show({.texels = picture.texels, .damage = {part}, .crop = window});
    CHECK(shows(update.picture, picture.part(window)));
    CHECK(damage_of(update) == with_margin({10, 15, 10, 10}));
    CHECK_FALSE(update.resized);
  }
  {
    const ScreenUpdate update = streaming.show({.texels = picture.texels, .damage = {part}, .crop = larger});
    CHECK(update.resized);
    CHECK(shows(update.picture, picture.part(larger)));
    CHECK(damage_of(update) == Rect{0, 0, 140, 90});
  }
  // Buffers of another size replace the old ones. Until one has arrived, the picture stays.
  const Picture grown(300, 200, 3);
  const std::vector<uint32_t> before = picture.part(larger).texels;
  streaming.screen.resize(300, 200);
  const ScreenUpdate waiting = streaming.capture->wait(steady_now() + 300ms);
  CHECK_FALSE(waiting.resized);
  CHECK(shows(waiting.picture, picture.part(larger)));
  const ScreenUpdate update = streaming.show({grown.texels});
  CHECK(update.resized);
  CHECK(shows(update.picture, grown));
  CHECK(streaming.capture->format().width == 300);
}

TEST_CASE("the pointer beside the picture: its shape once, its position with every move") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  const Picture picture(64, 48, 1);
  const CursorShape arrow{.width = 3, .height = 2, .hot_x = 1, .hot_y = 1, .texels = {1, 2, 3, 0xFF102030, 5, 6}};
  Streaming streaming(picture, {.texels = picture.texels, .cursor = ShownCursor{true, 10, 20, arrow}}, {},
                      {.cursor = CursorMode::overlay});
  CHECK(streaming.portal.asked().cursor_mode == 4);
  const ScreenUpdate first = streaming.next();
  CHECK(first.cursor.visible);
  CHECK(first.cursor.x == 10);
  CHECK(first.cursor.y == 20);
  REQUIRE(first.cursor.shape);
  CHECK(first.cursor.shape->width == 3);
  CHECK(first.cursor.shape->hot_x == 1);
  CHECK(first.cursor.shape->texels == arrow.texels);
  const auto shape = first.cursor.shape;

  const ScreenUpdate moved = streaming.show({.cursor = ShownCursor{true, 11, 22, std::nullopt}});
  CHECK(moved.damage.empty());
  CHECK(shows(moved.picture, picture));
  CHECK(moved.cursor.x == 11);
  CHECK(moved.cursor.shape == shape);
  CHECK(streaming.show({.cursor = ShownCursor{true, 12, 22, arrow}}).cursor.shape == shape);  // the same shape again
  CursorShape hand = arrow;
  hand.texels[0] = 77;
  CHECK(streaming.show({.cursor = ShownCursor{true, 12, 22, hand}}).cursor.shape->texels[0] == 77);
  CHECK_FALSE(streaming.show({.cursor = ShownCursor{false, 0, 0, std::nullopt}}).cursor.visible);
}

TEST_CASE("no more updates per second than requested, and the last picture at the deadline") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  Picture picture(64, 48, 1);
  Streaming streaming(picture, {picture.texels}, {}, {.most_fps = 0.01});
  CHECK(shows(streaming.next().picture, picture));
  const Rect left{0, 0, 4, 4}, right{50, 40, 4, 4};
  for (const Rect& part : {left, right}) {
    picture.fill(part, 2);
    streaming.screen.show({picture.texels, {part}});
  }
  const SteadyTime deadline = steady_now() + 200ms;
  const ScreenUpdate both = streaming.capture->wait(deadline);
  CHECK(steady_now() >= deadline);
  CHECK(shows(both.picture, picture));
  CHECK_FALSE(both.damage.empty());
}

TEST_CASE("a region of a monitor that shows the desktop at twice its size") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  Picture picture(400, 200, 1);
  CaptureTarget region{.kind = CaptureTarget::Kind::region, .region = {1030, 20, 50, 40}};
  Streaming streaming(picture, {picture.texels}, {}, {.target = region}, {1000, 0, 200, 100});
  const Rect part{60, 40, 100, 80};
  CHECK(streaming.capture->format().width == 100);
  CHECK(shows(streaming.next().picture, picture.part(part)));
  picture.fill({150, 110, 30, 30}, 2);
  const ScreenUpdate update = streaming.show({picture.texels, {{150, 110, 30, 30}, {300, 0, 9, 9}}});
  CHECK(shows(update.picture, picture.part(part)));
  CHECK(damage_of(update) == Rect{90, 70, 10, 10});
}

TEST_CASE("the end of a stream ends the capture, with one line") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  const Picture picture(64, 48, 1);
  {
    auto screen = std::make_unique<FakeScreen>(64, 48, ScreenKind{});
    const FakePortal portal({.node = screen->node()});
    auto shown = std::async(std::launch::async, [&] { screen->show({picture.texels}); });
    const auto capture = screen::open_wayland_capture({});
    shown.get();
    screen.reset();
    const std::string why = end_of(*capture);
    CHECK_MESSAGE(has(why, "the shared monitor or window is gone"), why);
  }
  {
    Streaming streaming(picture);
    streaming.portal.close_session();
    const std::string why = end_of(*streaming.capture);
    CHECK_MESSAGE(has(why, "sharing was stopped"), why);
  }
  Streaming another(picture);
  const SteadyTime begin = steady_now();
  auto woken = std::async(std::launch::async, [&] { another.capture->wake(); });
  another.next();
  another.next();  // by wake(), before or now
  CHECK(steady_now() - begin < 25s);
  woken.get();
  desktop->end("pipewire");
  const std::string gone = end_of(*another.capture);
  CHECK_MESSAGE(has(gone, "PipeWire has ended"), gone);
}
