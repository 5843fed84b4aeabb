// Captures that the desktop ends for a while, and several monitors as one picture: the monitors of a compositor,
// streams and a portal made by the test.
#include <systemd/sd-bus.h>

#include <future>
#include <memory>

#include "capture_check.h"
#include "fake_compositor.h"
#include "fake_portal.h"
#include "fake_screen.h"

using namespace texcast;
using namespace texcast::test;
using screen::CaptureTarget;
using screen::open_wayland_capture;

namespace {

// Opens the capture while its screens show their pictures.
std::unique_ptr<ScreenCapture> opened(std::vector<std::pair<FakeScreen*, const Picture*>> screens,
                                      const screen::CaptureSettings& settings = {}) {
  std::vector<std::future<void>> shown;
  for (const auto& one : screens)
    shown.push_back(std::async(std::launch::async, [one] { one.first->show({one.second->texels}); }));
  auto capture = open_wayland_capture(settings);
  for (auto& one : shown) one.get();
  return capture;
}

// As the screen saver of GNOME reports it.
void tell_lock(bool locked) {
  sd_bus* bus = nullptr;
  REQUIRE(sd_bus_open_user(&bus) >= 0);
  CHECK(sd_bus_emit_signal(bus, "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver", "ActiveChanged", "b", locked) >= 0);
  sd_bus_flush_close_unref(bus);
}

// The capture is waited for until it shows the picture; false: it never does.
bool comes(ScreenCapture& capture, const Picture& picture) {
  return comes_true([&] { return shows(capture.wait(steady_now() + 50ms).picture, picture); });
}

// For longer than the capture looks for a reason of its end.
bool stays(ScreenCapture& capture, const Picture& picture) {
  bool same = true;
  for (const SteadyTime end = steady_now() + 2500ms; steady_now() < end;)
    same &= shows(capture.wait(end).picture, picture);
  return same;
}

const FakeMonitor kPlain{.name = "DP-1", .width = 320, .height = 200};
const FakeMonitor kFine{.name = "DP-2", .x = 320, .y = 10, .width = 400, .height = 300, .scale = 2};
const CaptureTarget kFirst{.kind = CaptureTarget::Kind::monitor, .name = "DP-1"};

}  // namespace

TEST_CASE("the desktop ends the capture of a monitor that gets another size: it goes on, and nobody is asked") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  const Picture before(320, 200, 1), after(400, 300, 2);
  FakeScreen first(320, 200, {}), second(400, 300, {});
  FakeCompositor compositor({kPlain});
  FakePortal portal({.node = first.node(), .place = {0, 0, 320, 200}});
  const auto capture = opened({{&first, &before}}, {.target = kFirst});
  CHECK(comes(*capture, before));

  portal.answer({.node = second.node(), .place = {0, 0, 200, 150}, .token = "b-token"});
  compositor.set({{.name = "DP-1", .width = 400, .height = 300, .scale = 2}});
  portal.close_session();
  auto shown = std::async(std::launch::async, [&] { second.show({after.texels}); });
  bool resized = false;
  CHECK(comes_true([&] {
    const ScreenUpdate update = capture->wait(steady_now() + 50ms);
    resized |= update.resized;
    if (!resized) CHECK(shows(update.picture, before));  // the last picture stays
    return shows(update.picture, after);
  }));
  shown.get();
  CHECK(resized);
  CHECK(portal.asked().starts == 2);
  CHECK(portal.asked().restore_token == "a-token");

  // A person stops sharing: nothing has changed.
  portal.close_session();
  const std::string why = end_of(*capture);
  CHECK_MESSAGE(has(why, "sharing was stopped"), why);
  CHECK(portal.asked().starts == 2);
}

TEST_CASE("a monitor that is unplugged: its last picture stays until it returns") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  auto compositor = std::make_unique<FakeCompositor>(std::vector{kPlain, kFine});
  const Rect place{320, 10, 200, 150};
  const Picture before(400, 300, 1), after(400, 300, 2);
  auto first = std::make_unique<FakeScreen>(400, 300, ScreenKind{});
  FakePortal portal({.node = first->node(), .place = place});
  const auto capture =
      opened({{first.get(), &before}}, {.target = {.kind = CaptureTarget::Kind::monitor, .name = "DP-2"}});
  CHECK(comes(*capture, before));
  first.reset();  // its node is gone
  compositor->set({kPlain});
  REQUIRE(stays(*capture, before));
  CHECK(portal.asked().starts == 1);

  FakeScreen second(400, 300, {});
  portal.answer({.node = second.node(), .place = place});
  compositor->set({kPlain, kFine});
  auto shown = std::async(std::launch::async, [&] { second.show({after.texels}); });
  CHECK(comes(*capture, after));
  shown.get();
  CHECK(portal.asked().starts == 2);

  // It is unplugged again, and then the desktop ends.
  compositor->set({kPlain});
  portal.close_session();
  REQUIRE(stays(*capture, after));
  compositor.reset();
  const std::string why = end_of(*capture);
  CHECK_MESSAGE(has(why, "the compositor has ended"), why);
}

TEST_CASE("a locked desktop ends the capture, which goes on once it is unlocked") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  const Picture before(320, 200, 1), after(320, 200, 2);
  FakeScreen first(320, 200, {}), second(320, 200, {});
  const FakeCompositor compositor({kPlain});
  FakePortal portal({.node = first.node(), .place = {0, 0, 320, 200}});
  const auto capture = opened({{&first, &before}});
  CHECK(comes(*capture, before));
  portal.close_session();
  tell_lock(true);
  REQUIRE(stays(*capture, before));
  CHECK(portal.asked().starts == 1);
  portal.answer({.start = 2});  // refused for a moment
  tell_lock(false);
  CHECK(comes_true([&] {
    capture->wait(steady_now() + 50ms);
    return portal.asked().starts == 2;
  }));
  portal.answer({.node = second.node(), .place = {0, 0, 320, 200}});
  auto shown = std::async(std::launch::async, [&] { second.show({after.texels}); });
  CHECK(comes(*capture, after));
  shown.get();
}

TEST_CASE("a portal that remembers nothing: the end says what to do") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  const Picture picture(320, 200, 1);
  FakeScreen only(320, 200, {});
  FakeCompositor compositor({kPlain});
  FakePortal portal({.node = only.node(), .place = {0, 0, 320, 200}, .token = ""});
  const auto capture = opened({{&only, &picture}});
  compositor.set({{.name = "DP-1", .width = 320, .height = 200, .scale = 2}});
  portal.close_session();
  const std::string why = end_of(*capture);
  CHECK_MESSAGE(has(why, "Start the capture again"), why);
  CHECK(portal.asked().starts == 1);
}

TEST_CASE("two monitors of different scales as one picture, and a region across both") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  const FakeCompositor compositor({kPlain, kFine});
  Picture plain(320, 200, 1), fine(400, 300, 2);
  FakeScreen left(320, 200, {}), right(400, 300, {});
  FakePortal portal({.node = left.node(), .place = {0, 0, 320, 200}, .more = {{right.node(), {320, 10, 200, 150}}}});
  // The left one is shown at twice its size, as the right one has two pixels for each unit of the desktop.
  const auto composed = [&] {
    Picture all(1040, 400, 0);
    std::fill(all.texels.begin(), all.texels.end(), 0u);
    for (int y = 0; y < 400; ++y)
      for (int x = 0; x < 640; ++x) all.texels[static_cast<size_t>(y) * 1040 + x] = plain.texels[y / 2 * 320 + x / 2];
    for (int y = 0; y < 300; ++y)
      for (int x = 0; x < 400; ++x)
        all.texels[static_cast<size_t>(y + 20) * 1040 + 640 + x] = fine.texels[static_cast<size_t>(y) * 400 + x];
    return all;
  };
  auto capture = opened({{&left, &plain}, {&right, &fine}});
  CHECK(portal.asked().several);
  CHECK(capture->format().width == 1040);
  CHECK(capture->format().height == 400);
  CHECK(comes(*capture, composed()));
  const Rect part{10, 20, 30, 40};
  plain.fill(part, 3);
  left.show({plain.texels, {part}});
  const ScreenUpdate of_left = capture->wait(steady_now() + test::kPatience);
  const Rect copied = with_margin(part);
  CHECK(damage_of(of_left) == Rect{20, 40, 2 * copied.width, 2 * copied.height});
  CHECK(shows(of_left.picture, composed()));
  fine.fill(part, 4);
  right.show({fine.texels, {part}});
  const ScreenUpdate of_right = capture->wait(steady_now() + test::kPatience);
  CHECK(damage_of(of_right) == Rect{650, 40, copied.width, copied.height});
  CHECK(shows(of_right.picture, composed()));
  CHECK(of_right.captured <= wall_now());
  capture.reset();

  capture = opened({{&left, &plain}, {&right, &fine}},
                   {.target = {.kind = CaptureTarget::Kind::region, .region = {300, 20, 60, 50}}});
  CHECK(portal.asked().several);
  CHECK(comes(*capture, composed().part({600, 40, 120, 100})));
}

TEST_CASE("two monitors at places that nobody reports make a row") {
  const auto desktop = streams_desktop();
  if (!desktop) return;
  const Picture one(64, 48, 1), other(80, 40, 2);
  FakeScreen left(64, 48, {}), right(80, 40, {});
  FakePortal portal(
      {.node = left.node(), .place = {0, 0, 64, 48}, .more = {{right.node(), {0, 0, 80, 40}}}, .says_where = false});
  const auto capture = opened({{&left, &one}, {&right, &other}});
  CHECK(capture->format().width == 144);
  CHECK(capture->format().height == 48);
  CHECK(comes_true([&] {
    const ScreenUpdate update = capture->wait(steady_now() + 50ms);
    const auto now = texels_of(update.picture);
    return now.size() == size_t{144} * 48 && ((now[64] ^ other.texels[0]) & 0xFFFFFF) == 0 &&
           ((now[0] ^ one.texels[0]) & 0xFFFFFF) == 0;
  }));
}
