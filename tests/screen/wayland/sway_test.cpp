// The whole path: from a client of sway, through its portal and PipeWire.
#include <sys/stat.h>

#include <future>
#include <memory>
#include <string_view>

#include "capture_check.h"
#include "check_error.h"
#include "own_desktop.h"
#include "painter.h"

using namespace texcast;
using namespace texcast::test;
using screen::CursorMode;
using screen::open_wayland_capture;

namespace {

// Draws again every few seconds, as PipeWire 0.3 may lose a picture while it makes a connection.
Watched drawn_and_seen(Painter& painter, ScreenCapture& capture, const Picture& picture, const Rect& damage,
                       std::vector<uint32_t>& seen) {
  Watched all;
  for (; !all.came && all.draws < 10; ++all.draws) {
    painter.draw(picture.texels, damage);
    const Watched now = watch_until(capture, picture, seen, 3s);
    all = {.came = now.came,
           .resized = all.resized || now.resized,
           .damage_covers = all.damage_covers && now.damage_covers,
           .damaged_texels = all.damaged_texels + now.damaged_texels,
           .draws = all.draws};
  }
  return all;
}

}  // namespace

TEST_CASE("sway: the drawn picture, its damage, and a screen that changes its size") {
  OwnDesktop desktop;
  if (!desktop.start_all()) {
    MESSAGE("SKIP: there is no " << desktop.missing() << '\n' << desktop.log());
    return;
  }
  Painter painter;
  REQUIRE(painter.size() == Rect{0, 0, 320, 200});
  Picture picture(320, 200, 1);
  painter.draw(picture.texels, {0, 0, 320, 200});

  // A person refuses, and then allows it.
  desktop.refuse(true);
  check_error(ErrorKind::input, "refused", [] { open_wayland_capture({}); });
  CHECK(desktop.questions() == 1);
  desktop.refuse(false);
  auto capture = open_wayland_capture({.cursor = CursorMode::off});
  REQUIRE(capture);
  CHECK(desktop.questions() == 2);
  CHECK(capture->format().width == 320);
  CHECK(capture->format().height == 200);
  CHECK(capture->name() == "screen");
  CHECK(capture->refresh_rate() == doctest::Approx(60));
  std::vector<uint32_t> seen;
  Watched first = watch_until(*capture, picture, seen, 3s);
  if (!first.came) first = drawn_and_seen(painter, *capture, picture, {0, 0, 320, 200}, seen);
  CHECK(first.came);
  CHECK_FALSE(first.resized);

  // A small change has small damage, and no change has none. (If PipeWire has lost a picture, the damage of the next
  // one covers all of it.)
  Watched small{.draws = 2};
  for (int attempt = 0; attempt < 5 && small.draws > 1; ++attempt) {
    const Rect part{100, 50, 24, 16};
    picture.fill(part, 2 + attempt);
    small = drawn_and_seen(painter, *capture, picture, part, seen);
    CHECK(small.came);
    CHECK(small.damage_covers);
  }
  CHECK(small.damaged_texels < 320 * 200 / 4);
  int updates = 0;
  for (const SteadyTime end = steady_now() + 300ms; steady_now() < end;) updates += !capture->wait(end).damage.empty();
  CHECK(updates == 0);

  // Many pictures, each of them, while one is drawn over another.
  for (int i = 0; i < 20; ++i) {
    const Rect moving{i * 9, i * 5, 40, 30};
    picture.fill(moving, 3 + i);
    painter.draw(picture.texels, moving);
    const ScreenUpdate update = capture->wait(steady_now() + 100ms);
    std::vector<uint32_t> now = texels_of(update.picture);
    CHECK(is_covered(update, seen, now));
    seen = std::move(now);
  }
  CHECK(drawn_and_seen(painter, *capture, picture, {0, 0, 1, 1}, seen).damage_covers);

  desktop.sway("output HEADLESS-1 mode --custom 200x304");
  REQUIRE(comes_true([&] { return painter.size() == Rect{0, 0, 200, 304}; }));
  const Picture upright(200, 304, 99);
  const Watched resized = drawn_and_seen(painter, *capture, upright, painter.size(), seen);
  CHECK(resized.came);
  if (!resized.came) fprintf(stderr, "%s", desktop.log().c_str());
  CHECK(resized.resized);
  CHECK(capture->format().height == 304);

  // The second start asks nobody.
  capture.reset();
  capture = open_wayland_capture({.cursor = CursorMode::off});
  CHECK(desktop.questions() == 2);
  struct stat found = {};
  REQUIRE(stat(desktop.token_file().c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);

  // The compositor ends.
  desktop.end("sway");
  const std::string why = end_of(*capture);
  CHECK_MESSAGE(has(why, "the shared monitor or window is gone"), why);
}

TEST_CASE("sway: its monitors by name, and a rotated one") {
  OwnDesktop desktop;
  if (!desktop.start_all()) {
    MESSAGE("SKIP: there is no " << desktop.missing() << '\n' << desktop.log());
    return;
  }
  desktop.sway("output HEADLESS-1 position 0 0");
  Painter painter;  // on the first one
  desktop.sway("create_output");
  desktop.sway("output HEADLESS-2 mode --custom 400x300 position 320 10 scale 2 transform 270");
  std::vector<screen::Capturable> monitors;
  REQUIRE(comes_true([&] {
    monitors = screen::list_wayland();
    return monitors.size() == 2 && monitors[1].pixel_width == 300 && monitors[1].place.width == 150;
  }));
  CHECK(monitors[0].name == "HEADLESS-1");
  CHECK(monitors[0].place == Rect{0, 0, 320, 200});
  CHECK(monitors[0].pixel_width == 320);
  CHECK(monitors[0].refresh_rate == doctest::Approx(60));
  CHECK(monitors[1].name == "HEADLESS-2");
  CHECK(monitors[1].place == Rect{320, 10, 150, 200});
  CHECK(monitors[1].pixel_height == 400);
  CHECK_FALSE(monitors[1].description.empty());

  const auto of_monitor = [](const char* name) {
    return screen::CaptureSettings{.target = {.kind = screen::CaptureTarget::Kind::monitor, .name = name},
                                   .cursor = CursorMode::off};
  };
  check_error(ErrorKind::input, "available: HEADLESS-1, HEADLESS-2", [&] { open_wayland_capture(of_monitor("DP-9")); });
  CHECK(desktop.questions() == 0);
  // The dialogue returned another monitor than requested, so that it is shown again.
  for (int questions = 1; questions <= 2; ++questions) {
    CHECK(open_wayland_capture(of_monitor("HEADLESS-2"))->format().width == 320);
    CHECK(desktop.questions() == questions);
  }
  for (int questions = 3; questions <= 4; ++questions) {
    check_error(ErrorKind::input, "50x50+350+50 is outside of the chosen monitor (320x200+0+0)", [] {
      open_wayland_capture({.target = {.kind = screen::CaptureTarget::Kind::region, .region = {350, 50, 50, 50}}});
    });
    CHECK(desktop.questions() == questions);
  }
  // With the requested monitor, it is shown once.
  open_wayland_capture(of_monitor("headless-1"));
  auto capture = open_wayland_capture(of_monitor("headless-1"));
  CHECK(desktop.questions() == 5);

  // The other monitor too; the permissions of both are kept apart.
  desktop.choose("HEADLESS-2");
  auto other = open_wayland_capture(of_monitor("HEADLESS-2"));
  other.reset();
  other = open_wayland_capture(of_monitor("HEADLESS-2"));
  CHECK(desktop.questions() == 6);
  CHECK(comes_true([&] {  // a change of size changes the picture
    desktop.sway("output HEADLESS-2 bg #402010 solid_color");
    desktop.sway("output HEADLESS-2 bg #102040 solid_color");
    const ScreenUpdate update = other->wait(steady_now() + 100ms);
    return update.picture.format.width == 300 && update.picture.format.height == 400;
  }));
  other.reset();

  std::vector<uint32_t> seen;
  uint32_t seed = 1;
  for (const std::string turn : {"90", "180", "270", "flipped", "flipped-90", "flipped-180", "flipped-270", "normal"}) {
    CAPTURE(turn);
    const bool on_its_side = turn.find('9') != std::string_view::npos || turn.find("27") != std::string_view::npos;
    const Rect whole = on_its_side ? Rect{0, 0, 200, 320} : Rect{0, 0, 320, 200};
    desktop.sway("output HEADLESS-1 transform " + turn);
    REQUIRE(comes_true([&] { return painter.size() == whole; }));
    Picture picture(whole.width, whole.height, ++seed);
    CHECK(drawn_and_seen(painter, *capture, picture, whole, seen).came);
    const Rect part{20, 30, 50, 11};
    picture.fill(part, ++seed);
    const Watched small = drawn_and_seen(painter, *capture, picture, part, seen);
    CHECK(small.came);
    CHECK(small.damage_covers);
  }
}
