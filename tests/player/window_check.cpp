// The SDL2 window under an X server of our own: real events, real swaps, the whole player once.
#define SDL_MAIN_HANDLED
#include <SDL.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <thread>

#include "base/error.h"
#include "own_x_server.h"
#include "player/player.h"
#include "player_fakes.h"

namespace texcast::player {
namespace {

using namespace std::chrono_literals;

void press(SDL_Keycode key) {
  SDL_Event event{};
  event.type = SDL_KEYDOWN;
  event.key.keysym.sym = key;
  SDL_PushEvent(&event);
}

std::vector<Command> poll_all(Presenter& presenter) {
  std::vector<Command> commands;
  while (const auto command = presenter.poll())
    if (command->command != Command::redraw && command->command != Command::pointer_moved &&
        command->command != Command::pointer_left)
      commands.push_back(command->command);
  return commands;
}

std::string message_of(const PresenterSettings& settings, ErrorKind want) {
  try {
    make_presenter(settings);
  } catch (const Error& error) {
    CHECK(error.kind() == want);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("window: pictures, keys, double click, resizing, fullscreen, closing") {
  const OwnXServer server;
  if (!server.running()) {
    MESSAGE("SKIP: Xvfb cannot be started (package xvfb)");
    return;
  }
  const auto presenter = make_presenter({.kind = PresenterKind::window, .title = "test"});
  CHECK(presenter->width() == 1280);

  const OwnedTexture texture = random_texture(TextureFormat::bc1, 320, 180, 3);
  presenter->upload(texture.view());
  poll_all(*presenter);
  CHECK(presenter->width() == 320);
  CHECK(presenter->height() == 180);
  presenter->draw({});
  const auto shown = presenter->read_back();
  presenter->present();
  REQUIRE(shown);
  CHECK(compare(*shown, decode_picture(texture)).largest <=
        tolerance(TextureFormat::bc1, presenter->renderer()).largest);

  press(SDLK_i);
  press(SDLK_x);
  press(SDLK_q);
  SDL_Event click{};
  click.type = SDL_MOUSEBUTTONDOWN;
  click.button.button = SDL_BUTTON_LEFT;
  click.button.clicks = 1;
  SDL_PushEvent(&click);
  click.button.clicks = 2;
  SDL_PushEvent(&click);
  SDL_Event close{};
  close.type = SDL_QUIT;
  SDL_PushEvent(&close);
  using enum Command;
  CHECK(poll_all(*presenter) == std::vector<Command>{toggle_osd, quit, pointer_pressed, pointer_double_pressed, quit});

  presenter->resize(400, 300);
  bool redraw_asked = false;
  for (int i = 0; i < 200 && presenter->width() != 400; ++i, std::this_thread::sleep_for(5ms))
    while (const auto command = presenter->poll()) redraw_asked = redraw_asked || command->command == Command::redraw;
  while (const auto command = presenter->poll()) redraw_asked = redraw_asked || command->command == Command::redraw;
  CHECK(presenter->width() == 400);
  CHECK(redraw_asked);

  presenter->set_fullscreen(true);
  CHECK(presenter->fullscreen());
  CHECK(SDL_ShowCursor(SDL_QUERY) == SDL_DISABLE);
  presenter->set_fullscreen(false);
  CHECK_FALSE(presenter->fullscreen());
  CHECK(SDL_ShowCursor(SDL_QUERY) == SDL_ENABLE);

  presenter->set_playing(true);
  CHECK(SDL_IsScreenSaverEnabled() == SDL_FALSE);
  presenter->set_playing(false);
  CHECK(SDL_IsScreenSaverEnabled() == SDL_TRUE);
}

TEST_CASE("window: a picture larger than the desktop gets a window that fits on it") {
  const OwnXServer server;
  if (!server.running()) {
    MESSAGE("SKIP: Xvfb cannot be started (package xvfb)");
    return;
  }
  const auto presenter = make_presenter({.kind = PresenterKind::window, .vsync = false});
  presenter->upload(flat_bc1(3840, 2160, 0xF800).view());
  poll_all(*presenter);
  CHECK(presenter->width() == 1600);
  CHECK(presenter->height() == 900);
}

TEST_CASE("window: the whole player, a key pressed while it runs") {
  const OwnXServer server;
  if (!server.running()) {
    MESSAGE("SKIP: Xvfb cannot be started (package xvfb)");
    return;
  }
  const auto presenter = make_presenter({.kind = PresenterKind::window, .width = 640, .height = 360});
  ScriptedFeed feed;
  for (uint64_t i = 0; i < 10; ++i) feed.script.push_back({i});
  std::optional<ShownPicture> saved;
  Player player({.on_shown =
                     [](const ShownFrame& frame) {
                       if (frame.number == 2) press(SDLK_i);
                       if (frame.number == 5) press(SDLK_s);
                       if (frame.number == 7) press(SDLK_ESCAPE);
                     },
                 .save_screenshot =
                     [&](const ShownPicture& picture) {
                       saved = picture;
                       return std::string("saved");
                     }});
  const PlayerReport report = player.run(feed, *presenter);
  CHECK(report.frames_shown == 8);
  CHECK(report.end == RunEnd::quit);
  REQUIRE(saved);
  CHECK(saved->width == 640);
  // 16x16 red in the middle, bars beside it, and the display over the left one.
  const auto red_at = [&](int x, int y) { return saved->pixels[static_cast<size_t>((y * 640 + x) * 3)]; };
  CHECK(red_at(320, 180) == 255);
  CHECK(red_at(620, 180) == 0);
  int white_on_the_left = 0;
  for (int y = 0; y < 360; ++y)
    for (int x = 0; x < 140; ++x) white_on_the_left += red_at(x, y) > 200;
  CHECK(white_on_the_left > 100);
}

TEST_CASE("window: no display is an error that says what to do") {
  const char* before = std::getenv("DISPLAY");
  const std::string display = before ? before : "";
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  const std::string none = message_of({.kind = PresenterKind::window}, ErrorKind::no_display);
  setenv("DISPLAY", ":4711", 1);
  const std::string wrong = message_of({.kind = PresenterKind::window}, ErrorKind::no_display);
  for (const std::string& message : {none, wrong}) {
    MESSAGE(message);
    CHECK(message.find("DISPLAY") != std::string::npos);
    CHECK(message.find("--no-window") != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
  display.empty() ? unsetenv("DISPLAY") : setenv("DISPLAY", display.c_str(), 1);
}

}  // namespace texcast::player
