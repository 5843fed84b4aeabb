// Capturing an X display, compared with what the server itself has.
#include "screen/x11_capture.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "../patience.h"
#include "base/stage_time.h"
#include "media_test.h"
#include "screen/open_capture.h"
#include "texcast/frame_times.h"
#include "x_mirror.h"
#include "x_screen.h"

using namespace texcast;
using namespace texcast::test;
using screen::CaptureTarget;
using screen::CursorMode;
using screen::Rect;
using screen::ScreenUpdate;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr Rect kAll{0, 0, 320, 200};
const CaptureTarget kDesktop{};

// A long time, as an event ends the wait.
SteadyTime patiently() { return steady_now() + test::kPatience; }
SteadyTime at_once() { return SteadyTime{}; }

CaptureTarget monitor(const std::string& name) { return {.kind = CaptureTarget::Kind::monitor, .name = name}; }
CaptureTarget region(const Rect& rect) { return {.kind = CaptureTarget::Kind::region, .region = rect}; }
CaptureTarget window(const std::string& title) { return {.kind = CaptureTarget::Kind::window, .name = title}; }

std::unique_ptr<screen::X11Capture> capture_of(const CaptureTarget& target, CursorMode cursor = CursorMode::off) {
  return screen::open_x11_capture({.target = target, .cursor = cursor});
}

int64_t area_of(std::span<const Rect> rects) {
  int64_t area = 0;
  for (const Rect& r : rects) area += int64_t{r.width} * r.height;
  return area;
}

bool is_inside(const Rect& r, const FrameFormat& picture) {
  return r.x >= 0 && r.y >= 0 && r.width > 0 && r.height > 0 && r.x + r.width <= picture.width &&
         r.y + r.height <= picture.height;
}

// Pixels that differ and are in no rectangle.
int unsaid(const std::vector<uint32_t>& before, const std::vector<uint32_t>& after, std::span<const Rect> damage,
           int width) {
  int count = 0;
  for (size_t i = 0; i < after.size(); ++i) {
    if (before[i] == after[i]) continue;
    const int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
    const bool said = std::any_of(damage.begin(), damage.end(), [&](const Rect& r) {
      return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height;
    });
    if (!said) ++count;
  }
  return count;
}

// Waits until a picture of another size comes.
ScreenUpdate resized(screen::ScreenCapture& capture) {
  const SteadyTime end = patiently();
  for (;;) {
    ScreenUpdate update = capture.wait(end);
    if (update.resized || steady_now() >= end) return update;
  }
}

// Waits until the picture is as in the server. Nothing may keep on drawing.
bool becomes(screen::ScreenCapture& capture, const std::vector<uint32_t>& wanted) {
  for (const SteadyTime end = patiently(); steady_now() < end;)
    if (colors_of(capture.wait(steady_now() + milliseconds(50)).picture) == wanted) return true;
  return false;
}

}  // namespace

TEST_CASE("X11: pictures are what the server has, damage covers all differences, and nothing else is fetched") {
  const PrivateScreen server("320x200x24");
  if (!server.is_there()) return;
  XClient client;
  const auto capture = capture_of(kDesktop);
  ScreenUpdate update = capture->wait(at_once());
  CHECK(update.picture.format.pixel_format == PixelFormat::bgra);
  CHECK(update.picture.format.opaque);
  CHECK(update.picture.format.color == kFullRange);
  CHECK_FALSE(update.resized);
  REQUIRE(update.damage.size() == 1);
  CHECK(update.damage[0] == kAll);
  CHECK(colors_of(update.picture) == client.picture(kAll));

  const uint64_t fetched = capture->fetched_bytes();
  const WallTime before = wall_now();
  client.fill(client.root(), {100, 50, 10, 8}, 0x3366CC);
  update = capture->wait(patiently());
  REQUIRE(update.damage.size() == 1);
  CHECK(update.damage[0] == Rect{100, 50, 10, 8});
  CHECK(update.captured >= before);
  CHECK(update.captured <= wall_now());
  CHECK(capture->fetched_bytes() - fetched == 10 * 8 * 4);
  CHECK(colors_of(update.picture) == client.picture(kAll));
  CHECK(colors_of(update.picture)[50 * 320 + 100] == 0x3366CC);
}

TEST_CASE("X11: whatever is drawn, moved, resized and raised, no pixel changes outside the damage") {
  // Without shared memory pictures come through the connection.
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"-extension", "MIT-SHM"}}) {
    CAPTURE(more.size());
    const PrivateScreen server("320x200x24", more);
    if (!server.is_there()) return;
    XClient client;
    std::vector<xcb_window_t> windows;
    for (int i = 0; i < 4; ++i)
      windows.push_back(client.window({20 + 60 * i, 30 + 10 * i, 90, 70}, 0x204060U * static_cast<uint32_t>(i + 1)));
    const auto capture = capture_of(kDesktop);
    std::vector<uint32_t> before = colors_of(capture->wait(at_once()).picture);
    std::mt19937 random(7);
    const auto below = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
    int64_t damaged = 0;
    for (int step = 0; step < 80; ++step) {
      CAPTURE(step);
      const xcb_window_t on = windows[static_cast<size_t>(below(4))];
      switch (step % 6) {
        case 0: client.fill(on, {below(60), below(50), 1 + below(40), 1 + below(40)}, random() & 0xFFFFFF); break;
        case 1: client.place(on, {below(280) - 30, below(170) - 20, 90, 70}); break;
        case 2: client.place(on, {below(200), below(100), 40 + below(100), 30 + below(80)}); break;
        case 3: client.raise(on); break;
        case 4: client.copy(on, {0, 10, 80, 40}, 3, below(20)); break;
        default:  // more rectangles than are fetched one by one
          for (int i = 0; i < 60; ++i) client.fill(client.root(), {below(316), below(196), 3, 3}, random() & 0xFFFFFF);
      }
      const ScreenUpdate update = capture->wait(steady_now() + milliseconds(1));
      const std::vector<uint32_t> after = colors_of(update.picture);
      REQUIRE(after == client.picture(kAll));
      REQUIRE(unsaid(before, after, update.damage, 320) == 0);
      for (const Rect& r : update.damage) REQUIRE(is_inside(r, update.picture.format));
      damaged += area_of(update.damage);
      before = after;
    }
    CHECK(damaged < int64_t{80} * 320 * 200 / 3);
  }
}

TEST_CASE("X11: overlapping rectangles are fetched, even if they exceed the buffer") {
  const PrivateScreen server("320x200x24");
  if (!server.is_there()) return;
  XClient client;
  for (int i = 0; i < 16; ++i)
    client.fill(client.root(), {20 * i, 0, 20, 200}, 0x0F1E2DU * static_cast<uint32_t>(i + 1));
  const screen::XDisplay display;
  screen::XMirror mirror(display);
  mirror.resize(320, 200);
  CHECK(mirror.is_shared());
  std::vector<Rect> rects;
  for (int i = 0; i < 10; ++i) rects.push_back({8 * i, 5 * i, 200, 150});
  const std::vector<Rect> wanted = rects;
  REQUIRE(mirror.fetch(display.root(), 0, 0, kAll, rects));
  const auto shown = client.picture(kAll), fetched = colors_of(mirror.view());
  for (const Rect& r : wanted)
    for (int y = r.y; y < r.y + r.height; ++y)
      REQUIRE(std::equal(&shown[static_cast<size_t>(y * 320 + r.x)],
                         &shown[static_cast<size_t>(y * 320 + r.x)] + r.width,
                         &fetched[static_cast<size_t>(y * 320 + r.x)]));
  CHECK_FALSE(mirror.fetch(display.root(), 100, 0, kAll, rects = {kAll}));  // off the screen
}

TEST_CASE("X11: nothing is fetched of a static screen, and the thread sleeps") {
  const PrivateScreen server("320x200x24");
  if (!server.is_there()) return;
  XClient client;
  for (const CursorMode cursor : {CursorMode::off, CursorMode::picture}) {
    const auto capture = capture_of(kDesktop, cursor);
    const auto first = colors_of(capture->wait(at_once()).picture);
    const uint64_t fetched = capture->fetched_bytes();
    const SteadyTime end = steady_now() + milliseconds(150);
    const nanoseconds spent = thread_cpu_now();
    const ScreenUpdate update = capture->wait(end);
    CHECK(steady_now() >= end);
    CHECK(thread_cpu_now() - spent < milliseconds(50));
    CHECK(update.damage.empty());
    CHECK(colors_of(update.picture) == first);
    CHECK(capture->fetched_bytes() == fetched);
  }
}

TEST_CASE("X11: updates come no more often than requested, a change after a pause comes at once, and none is lost") {
  const PrivateScreen server("320x200x24");
  if (!server.is_there()) return;
  XClient client;
  const auto capture = screen::open_x11_capture({.target = {}, .cursor = CursorMode::off, .most_fps = 5});
  capture->wait(at_once());
  std::this_thread::sleep_for(milliseconds(250));
  client.fill(client.root(), {0, 0, 5, 5}, 0xFF0000);
  const SteadyTime first = steady_now();
  CHECK(capture->wait(patiently()).damage.size() == 1);
  client.fill(client.root(), {10, 0, 5, 5}, 0x00FF00);
  client.fill(client.root(), {30, 0, 5, 5}, 0x0000FF);
  const SteadyTime asked = steady_now();
  const ScreenUpdate both = capture->wait(patiently());
  CHECK(steady_now() - first >= milliseconds(200));
  CHECK(area_of(both.damage) >= 50);
  CHECK(colors_of(both.picture) == client.picture(kAll));
  // The time at which the server reported it, not at which it was fetched.
  if (asked - first < milliseconds(50)) CHECK(wall_now() - both.captured >= milliseconds(100));
}

TEST_CASE("X11: the pointer is drawn into the picture, returned separately, or left out") {
  const PrivateScreen server("320x200x24");
  if (!server.is_there()) return;
  XClient client;
  client.point_at(300, 190);
  client.set_pointer(client.root(), 6, 0xFF8000);
  const auto without = client.picture(kAll);
  const auto with_pointer_at = [&](int left, int top) {
    auto picture = without;
    for (int y = top; y < std::min(top + 6, 200); ++y)
      for (int x = left; x < std::min(left + 6, 320); ++x) picture[static_cast<size_t>(y * 320 + x)] = 0xFF8000;
    return picture;
  };
  SUBCASE("in the picture") {
    const auto capture = capture_of(kDesktop, CursorMode::picture);
    CHECK(colors_of(capture->wait(at_once()).picture) == with_pointer_at(300, 190));
    const uint64_t fetched = capture->fetched_bytes();
    client.point_at(40, 30);
    const ScreenUpdate moved = capture->wait(patiently());
    CHECK(colors_of(moved.picture) == with_pointer_at(40, 30));
    CHECK(unsaid(with_pointer_at(300, 190), with_pointer_at(40, 30), moved.damage, 320) == 0);
    CHECK(area_of(moved.damage) == 2 * 36);
    CHECK(capture->fetched_bytes() == fetched);
    client.fill(client.root(), {42, 28, 10, 10}, 0x112233);  // beneath the pointer
    capture->wait(patiently());
    client.point_at(317, 197);  // half outside
    const auto bare = client.picture(kAll);
    const auto last = colors_of(capture->wait(patiently()).picture);
    CHECK(last[32 * 320 + 44] == 0x112233);
    CHECK(last[199 * 320 + 319] == 0xFF8000);
    CHECK(last[196 * 320 + 319] == bare[196 * 320 + 319]);
  }
  SUBCASE("separately") {
    const auto capture = capture_of(region({20, 10, 100, 100}), CursorMode::overlay);
    CHECK_FALSE(capture->wait(at_once()).cursor.visible);
    client.point_at(50, 40);
    const ScreenUpdate update = capture->wait(patiently());
    CHECK(update.damage.empty());
    CHECK(update.cursor.visible);
    CHECK(update.cursor.x == 30);
    CHECK(update.cursor.y == 30);
    REQUIRE(update.cursor.shape);
    CHECK(update.cursor.shape->hot_x == 0);
    REQUIRE(update.cursor.shape->texels.size() == 36);
    CHECK(update.cursor.shape->texels[35] == 0xFFFF8000);
    client.set_pointer(client.root(), 4, 0x00FF00);  // another shape is an update of its own
    const auto shape = capture->wait(patiently()).cursor.shape;
    REQUIRE(shape);
    CHECK(shape->texels == std::vector<uint32_t>(16, 0xFF00FF00));
    CHECK(capture->wait(steady_now() + milliseconds(60)).damage.empty());
  }
  SUBCASE("left out") {
    const auto capture = capture_of(kDesktop, CursorMode::off);
    CHECK(colors_of(capture->wait(at_once()).picture) == without);
    client.point_at(40, 30);
    const SteadyTime end = steady_now() + milliseconds(60);
    CHECK(capture->wait(end).damage.empty());
    CHECK(steady_now() >= end);
  }
}

TEST_CASE("X11: a moving mouse is shown at once, without waiting for it to stop") {
  const PrivateScreen server("320x200x24");
  if (!server.is_there()) return;
  XClient client;
  client.set_pointer(client.root(), 6, 0xFF8000);
  const auto capture = capture_of(kDesktop, CursorMode::overlay);
  capture->wait(at_once());
  nanoseconds least = seconds(1);
  for (int i = 0; i < 20; ++i) {
    const SteadyTime moved = steady_now();
    client.move_mouse(10 + 3 * i, 50);
    const ScreenUpdate update = capture->wait(patiently());
    least = std::min(least, steady_now() - moved);
    CHECK(update.cursor.x == 10 + 3 * i);
  }
  CHECK(least < milliseconds(50));  // with ten looks per second this would be about a tenth each time
}

TEST_CASE("X11: monitors by name, with their positions, and regions") {
  const PrivateScreen server("320x200x24");
  if (!server.is_there()) return;
  XClient client;
  client.set_monitor("RIGHT", {200, 20, 120, 100});
  client.set_monitor("LEFT", {0, 0, 200, 200});
  client.fill(client.root(), {190, 10, 40, 40}, 0xAA5500);
  const auto all = screen::list_x11();
  const auto left = std::find_if(all.begin(), all.end(), [](const auto& c) { return c.name == "LEFT"; });
  const auto right = std::find_if(all.begin(), all.end(), [](const auto& c) { return c.name == "RIGHT"; });
  REQUIRE(left != all.end());
  REQUIRE(right != all.end());
  CHECK(left < right);
  CHECK(right->place == Rect{200, 20, 120, 100});

  const auto capture = capture_of(monitor("right"));
  CHECK(capture->name() == "screen right");
  CHECK(colors_of(capture->wait(at_once()).picture) == client.picture(right->place));
  client.fill(client.root(), {0, 150, 30, 30}, 0x123456);  // elsewhere
  client.fill(client.root(), {195, 60, 10, 10}, 0x123456);
  const ScreenUpdate update = capture->wait(patiently());
  REQUIRE(update.damage.size() == 1);
  CHECK(update.damage[0] == Rect{0, 40, 5, 10});

  const Error unknown = error_of([] { capture_of(monitor("HDMI-9")); });
  CHECK(unknown.kind() == ErrorKind::input);
  CHECK_MESSAGE(says(unknown, "available: LEFT, screen, RIGHT"), std::string(unknown.what()));

  const Rect part{11, 13, 101, 87};
  CHECK(colors_of(capture_of(region(part))->wait(at_once()).picture) == client.picture(part));
  const Error beyond = error_of([] { capture_of(region({300, 0, 21, 10})); });
  CHECK(beyond.kind() == ErrorKind::input);
  CHECK_MESSAGE(says(beyond, "320x200"), std::string(beyond.what()));
}

TEST_CASE("X11: a monitor's changes are followed; if it is unplugged, its last picture stays until it returns") {
  const PrivateScreen server("320x200x24");
  if (!server.is_there()) return;
  XClient client;
  client.set_monitor("M", {0, 0, 160, 100});
  client.fill(client.root(), {40, 40, 100, 90}, 0x3355AA);
  const auto capture = capture_of(monitor("M"));
  const auto first = colors_of(capture->wait(at_once()).picture);

  client.remove_monitor("M");
  client.set_monitor("M", {30, 20, 160, 100});  // moved
  CHECK(becomes(*capture, client.picture({30, 20, 160, 100})));
  client.remove_monitor("M");
  client.set_monitor("M", {0, 0, 200, 150});
  const ScreenUpdate larger = resized(*capture);
  CHECK(larger.resized);
  CHECK(larger.picture.format.width == 200);
  CHECK(larger.picture.format.height == 150);
  REQUIRE(larger.damage.size() == 1);
  CHECK(larger.damage[0] == Rect{0, 0, 200, 150});
  CHECK(colors_of(larger.picture) == client.picture({0, 0, 200, 150}));
  CHECK(capture->format() == larger.picture.format);

  const auto last = colors_of(larger.picture);
  client.remove_monitor("M");
  client.fill(client.root(), {0, 0, 50, 50}, 0xFFFFFF);  // not the monitor's content any more
  const ScreenUpdate gone = capture->wait(steady_now() + milliseconds(60));
  CHECK(gone.damage.empty());
  CHECK(colors_of(gone.picture) == last);
  client.set_monitor("M", {0, 0, 200, 150});
  CHECK(becomes(*capture, client.picture({0, 0, 200, 150})));
}

TEST_CASE("X11: another resolution of the desktop is followed, with one line about the change") {
  const PrivateScreen server("320x200x24");
  if (!server.is_there()) return;
  XClient client;
  client.fill(client.root(), kAll, 0xABCDEF);
  const auto capture = capture_of(kDesktop), part = capture_of(region({100, 100, 200, 90}));
  capture->wait(at_once());
  part->wait(at_once());
  client.set_desktop(240, 160);
  const ScreenUpdate smaller = resized(*capture);
  CHECK(smaller.picture.format.width == 240);
  CHECK(smaller.picture.format.height == 160);
  CHECK(colors_of(smaller.picture) == client.picture({0, 0, 240, 160}));
  client.fill(client.root(), {0, 0, 9, 9}, 0x998877);
  CHECK(becomes(*capture, client.picture({0, 0, 240, 160})));
  // A region keeps its size, and is black where the screen does not reach any more.
  client.fill(client.root(), {100, 100, 140, 60}, 0x446688);
  std::vector<uint32_t> wanted(200 * 90, 0);
  for (int y = 0; y < 60; ++y) std::fill_n(wanted.begin() + y * 200, 140, 0x446688);
  CHECK(becomes(*part, wanted));
  client.set_desktop(310, 190);
  CHECK(resized(*capture).picture.format.width == 310);
  CHECK(becomes(*part, client.picture({100, 100, 200, 90})));
}

TEST_CASE("X11: a single window, whatever covers it, at its size, until it is closed") {
  const PrivateScreen server("320x200x24");
  if (!server.is_there()) return;
  XClient client;
  const xcb_window_t wanted = client.window({10, 10, 100, 80}, 0x00AA00, "Terminal \xE9t\xE9", 3);
  const auto same = [](const ScreenUpdate& update, uint32_t color) {
    const auto colors = colors_of(update.picture);
    return std::all_of(colors.begin(), colors.end(), [&](uint32_t c) { return c == color; });
  };
  const auto capture = capture_of(window("terminal"));
  CHECK(capture->name() == "window Terminal \xC3\xA9t\xC3\xA9");
  CHECK(capture->format().width == 100);
  CHECK(same(capture->wait(at_once()), 0x00AA00));

  client.window({0, 0, 320, 200}, 0xFF0000, "Something else");
  CHECK(same(capture->wait(steady_now() + milliseconds(50)), 0x00AA00));
  client.fill(wanted, {20, 30, 10, 10}, 0x0000FF);
  const ScreenUpdate drawn = capture->wait(patiently());
  REQUIRE(drawn.damage.size() == 1);
  CHECK(drawn.damage[0] == Rect{20, 30, 10, 10});
  CHECK(colors_of(drawn.picture)[30 * 100 + 20] == 0x0000FF);
  CHECK(colors_of(drawn.picture)[29 * 100 + 20] == 0x00AA00);

  client.place(wanted, {50, 40, 140, 90});
  const ScreenUpdate larger = resized(*capture);
  CHECK(larger.picture.format.width == 140);
  CHECK(larger.picture.format.height == 90);
  client.fill(wanted, {0, 0, 140, 90}, 0x777777);
  CHECK(becomes(*capture, std::vector<uint32_t>(140 * 90, 0x777777)));

  client.show(wanted, false);
  CHECK(same(capture->wait(steady_now() + milliseconds(50)), 0x777777));  // minimised: the last picture stays
  client.show(wanted, true);
  CHECK(becomes(*capture, std::vector<uint32_t>(140 * 90, 0x00AA00)));  // its background, which X draws again

  client.close(wanted);
  const Error closed = error_of([&] {
    for (const SteadyTime end = patiently(); steady_now() < end;) capture->wait(end);
  });
  CHECK(closed.kind() == ErrorKind::input);
  CHECK_MESSAGE(says(closed, "was closed"), std::string(closed.what()));
}

TEST_CASE("X11: an ambiguous window is never guessed") {
  const PrivateScreen server("320x200x24");
  if (!server.is_there()) return;
  XClient client;
  const xcb_window_t one = client.window({0, 0, 50, 40}, 1, "Editor: one");
  client.window({60, 0, 50, 40}, 2, "Editor: two");
  client.window({120, 0, 50, 40}, 3, "Editor");
  CHECK(capture_of(window("Editor"))->name() == "window Editor");  // which is its whole title
  CHECK(capture_of(window("one"))->name() == "window Editor: one");
  CHECK(capture_of(window("0x" +
                          [&] {
                            char text[16];
                            std::snprintf(text, sizeof text, "%x", one);
                            return std::string(text);
                          }()))
            ->name() == "window Editor: one");
  const Error several = error_of([] { capture_of(window("editor:")); });
  CHECK(several.kind() == ErrorKind::input);
  CHECK_MESSAGE((says(several, "'Editor: one'") && says(several, "'Editor: two'")), std::string(several.what()));
  for (const char* nobody : {"Browser", "0x1"})
    CHECK(error_of([&] { capture_of(window(nobody)); }).kind() == ErrorKind::input);
  client.show(one, false);
  char id[16];
  std::snprintf(id, sizeof id, "0x%x", one);
  CHECK(says(error_of([&] { capture_of(window(id)); }), "minimised"));
}

TEST_CASE("X11: wake() ends a wait, and a server that ends is one clear line") {
  PrivateScreen server("320x200x24");
  if (!server.is_there()) return;
  const auto capture = capture_of(kDesktop);
  capture->wait(at_once());
  {
    const std::jthread waker([&] {
      std::this_thread::sleep_for(milliseconds(20));
      capture->wake();
    });
    const SteadyTime end = patiently();
    CHECK(capture->wait(end).damage.empty());
    CHECK(steady_now() < end);
  }
  capture->wake();  // before the wait, which it still ends
  const SteadyTime end = patiently();
  capture->wait(end);
  CHECK(steady_now() < end);
  const std::jthread killer([&] {
    std::this_thread::sleep_for(milliseconds(20));
    server.kill();
  });
  const Error gone = error_of([&] { capture->wait(patiently()); });
  CHECK(gone.kind() == ErrorKind::input);
  CHECK_MESSAGE(says(gone, "closed the connection"), std::string(gone.what()));
}

TEST_CASE("X11: missing extensions and servers are named") {
  const auto why = [] { return error_of([] { capture_of(kDesktop); }); };
  {
    const PrivateScreen server("320x200x24", {"-extension", "DAMAGE"});
    if (!server.is_there()) return;
    CHECK(why().kind() == ErrorKind::input);
    CHECK(says(why(), "lacks the extension DAMAGE"));
    CHECK(says(why(), "x11grab::"));
  }
  {
    const PrivateScreen server("320x200x16");
    CHECK(why().kind() == ErrorKind::input);
    CHECK(says(why(), "x11grab::"));
  }
  const PrivateScreen server("320x200x24");  // restores DISPLAY at the end
  setenv("DISPLAY", ":65000", 1);
  CHECK(says(why(), "does not answer"));
  unsetenv("DISPLAY");
  CHECK(says(why(), "DISPLAY is not set"));
  CHECK(says(error_of([] { screen::open_capture({}); }), "DISPLAY is not set"));
}

TEST_CASE("inputs that are screens, and inputs that are not") {
  using Kind = CaptureTarget::Kind;
  CHECK(screen::capture_target("screen")->kind == Kind::desktop);
  CHECK(screen::capture_target("screen:HDMI-1")->kind == Kind::monitor);
  CHECK(screen::capture_target("screen:HDMI-1")->name == "HDMI-1");
  CHECK(screen::capture_target("screen:640x480+10+20")->region == Rect{10, 20, 640, 480});
  CHECK(screen::capture_target("screen:640x480+10")->kind == Kind::monitor);
  CHECK(screen::capture_target("screen:0x480+1+2")->kind == Kind::monitor);
  CHECK(screen::capture_target("screen:99999999999x4+1+2")->kind == Kind::monitor);
  CHECK(screen::capture_target("window:a: b")->name == "a: b");
  for (const char* other : {"screen:", "window:", "screens", "screen.mp4", "clip.mp4", "x11grab:::0"})
    CHECK_FALSE(screen::capture_target(other).has_value());
}
