// The desktop portal: the requests to it, what is missing, and the answers of a person.
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>

#include "capture_check.h"
#include "check_error.h"
#include "fake_portal.h"
#include "outputs.h"
#include "own_desktop.h"
#include "portal_session.h"
#include "restore_tokens.h"

using namespace texcast;
using namespace texcast::test;
using screen::CaptureSettings;
using screen::CaptureTarget;
using screen::CursorMode;
using screen::open_wayland_capture;

namespace {

const CaptureSettings kWindow{.target = {.kind = CaptureTarget::Kind::window, .name = "Terminal"}};

void check_refused(const char* words, const CaptureSettings& settings = {}) {
  check_error(ErrorKind::input, words, [&] { open_wayland_capture(settings); });
}

}  // namespace

TEST_CASE("no session bus, no portal, or none that captures: what is missing, and what to do") {
  OwnDesktop desktop;
  check_refused("no D-Bus session bus");
  unsetenv("DBUS_SESSION_BUS_ADDRESS");
  unsetenv("XDG_RUNTIME_DIR");
  check_refused("neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set");
}

TEST_CASE("with and without a portal, and with any answer of it") {
  OwnDesktop desktop;
  if (!desktop.start_bus()) {
    MESSAGE("SKIP: there is no " << desktop.missing());
    return;
  }
  check_refused("install xdg-desktop-portal and the backend of your desktop");
  {
    const FakePortal without_backend({.sources = 0});
    check_refused("backend, which captures screens, is not running");
  }
  {
    const FakePortal monitors_alone({.sources = 1});
    check_refused("use `screen`", kWindow);
  }
  {
    const FakePortal refusing({.start = 1});
    check_refused("refused in the desktop's dialogue");
  }
  {
    const FakePortal failing({.start = 2});
    check_refused("could not start the capture");
  }
  {
    const FakePortal empty({.has_stream = false});
    check_refused("nothing was chosen");
  }
  // A permission is kept, though there is no PipeWire.
  {
    const FakePortal without_pipewire({.has_pipewire = false});
    check_refused("PipeWire", {.cursor = CursorMode::off});
    CHECK(without_pipewire.asked().types == 1);
    CHECK(without_pipewire.asked().cursor_mode == 1);
    CHECK(without_pipewire.asked().persist_mode == 2);
    CHECK(without_pipewire.asked().restore_token.empty());
  }
  struct stat found = {};
  REQUIRE(stat(desktop.token_file().c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
  {
    const FakePortal again({.cursors = 3, .has_pipewire = false, .token = "another-token"});
    check_refused("PipeWire", {.cursor = CursorMode::overlay});
    CHECK(again.asked().restore_token == "a-token");
    CHECK(again.asked().cursor_mode == 2);  // it cannot separate the pointer
    check_refused("PipeWire");
    CHECK(again.asked().restore_token == "another-token");
    check_refused("PipeWire", kWindow);  // for which there is no permission yet
    CHECK(again.asked().types == 2);
    CHECK(again.asked().restore_token.empty());
  }
  // The dialogue stays open for as long as a person takes. It may also end differently.
  {
    const FakePortal asking({.answers_start = false});
    std::stop_source stop;
    auto opened = std::async(std::launch::async, [&] { return open_wayland_capture({}, stop.get_token()); });
    CHECK(comes_true([&] { return asking.asked().starts == 1; }));
    stop.request_stop();
    CHECK(opened.get() == nullptr);
  }
  auto asking = std::make_unique<FakePortal>(PortalAnswers{.answers_start = false});
  auto opened = std::async(std::launch::async, [&] { check_refused("the desktop portal has ended"); });
  CHECK(comes_true([&] { return asking->asked().starts == 1; }));
  asking.reset();
  opened.get();
  // So may the bus.
  FakePortal last({.answers_start = false});
  auto cut_off = std::async(std::launch::async, [&] { check_refused("no D-Bus session bus"); });
  CHECK(comes_true([&] { return last.asked().starts == 1; }));
  desktop.end("dbus-daemon");
  cut_off.get();
}

// Two monitors of one size, side by side.
TEST_CASE("the shared monitor by its position, or by its size if the portal knows no position") {
  OwnDesktop desktop;
  if (!desktop.start_bus()) {
    MESSAGE("SKIP: there is no " << desktop.missing());
    return;
  }
  const screen::Rect left{0, 0, 1280, 720}, right{1280, 0, 1280, 720};
  const auto monitor = [](const char* name, const screen::Rect& place) {
    return screen::Capturable{.name = name, .place = place, .pixel_width = place.width, .pixel_height = place.height};
  };
  const screen::wayland::Outputs outputs{.monitors = {monitor("left", left), monitor("right", right)}};
  const auto candidates = [&](const PortalAnswers& answers) {
    const FakePortal portal(answers);
    const WakeEvent waker;
    screen::wayland::PortalSession session(waker, {});
    const auto shared = session.share({});
    REQUIRE(shared.streams.size() == 1);
    return screen::wayland::shared_monitors(outputs, shared.streams[0].place_if_known(), 1280, 720);
  };
  const auto one = candidates({.place = right});
  REQUIRE(one.size() == 1);
  CHECK(one[0]->name == "right");
  CHECK(candidates({.place = right, .says_where = false}).size() == 2);
}

TEST_CASE("the file of tokens: a line per target, the latest ones, used only if it is the user's own") {
  OwnDesktop desktop;
  using screen::wayland::keep_restore_token;
  using screen::wayland::restore_token;
  CHECK(restore_token("screen").empty());
  keep_restore_token("screen", "");  // an empty token creates no file
  struct stat found = {};
  CHECK(stat(desktop.token_file().c_str(), &found) != 0);
  keep_restore_token("screen", "one");
  keep_restore_token("window A title", "two");
  CHECK(restore_token("screen") == "one");
  CHECK(restore_token("window A title") == "two");
  CHECK(restore_token("window").empty());
  keep_restore_token("screen", "three");
  CHECK(restore_token("screen") == "three");
  keep_restore_token("screen", "");
  CHECK(restore_token("screen").empty());
  keep_restore_token("two\nlines", "x");
  keep_restore_token("screen", "two words");
  CHECK(restore_token("two\nlines").empty());
  CHECK(restore_token("screen").empty());
  for (int i = 0; i < 100; ++i) keep_restore_token("screen " + std::to_string(i), "t" + std::to_string(i));
  CHECK(restore_token("screen 99") == "t99");
  CHECK(restore_token("screen 10").empty());
  // An invalid file counts as missing.
  std::ofstream(desktop.token_file()) << "no-target\n target\n\n" << std::string(100'000, 'x');
  CHECK(restore_token("target").empty());
  std::filesystem::remove(desktop.token_file());
  REQUIRE(mkfifo(desktop.token_file().c_str(), 0600) == 0);
  CHECK(restore_token("screen").empty());
  std::filesystem::remove(desktop.token_file());
  std::ofstream(desktop.token_file()) << "theirs screen\n";
  CHECK(restore_token("screen") == "theirs");
  if (geteuid() == 0) {
    REQUIRE(chown(desktop.token_file().c_str(), 65534, 65534) == 0);
    CHECK(restore_token("screen").empty());
  }
  unsetenv("HOME");
  setenv("XDG_STATE_HOME", "relative", 1);
  keep_restore_token("screen", "nowhere");
  CHECK(restore_token("screen").empty());
}

TEST_CASE("whether this is a Wayland session") {
  OwnDesktop desktop;
  CHECK(screen::is_wayland_session());
  unsetenv("WAYLAND_DISPLAY");
  CHECK(screen::is_wayland_session());
  setenv("XDG_SESSION_TYPE", "x11", 1);
  CHECK_FALSE(screen::is_wayland_session());
}
