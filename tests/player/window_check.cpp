// The SDL2 window on our own X server: real events, real swaps, and once the whole player.
#define SDL_MAIN_HANDLED
#include <SDL.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <thread>

#include "contexts.h"
#include "input_map.h"
#include "player/geometry.h"
#include "player/player.h"
#include "player/window.h"
#include "player_fakes.h"
#include "texcast/error.h"
#include "x_server.h"
#include "x_window_size.h"

namespace texcast::player {
namespace {

using namespace std::chrono_literals;

const test::XServer::Settings kScreen{.size_and_depth = "1600x900x24", .patience = 20s};

void press(SDL_Keycode key, SDL_Keymod modifiers = KMOD_NONE) {
  SDL_Event event{};
  event.type = SDL_KEYDOWN;
  event.key.keysym.sym = key;
  event.key.keysym.mod = static_cast<Uint16>(modifiers);
  SDL_PushEvent(&event);
}

void push_button(Uint32 type, int button, int x, int y) {
  SDL_Event event{};
  event.type = type;
  event.button.button = static_cast<Uint8>(button);
  event.button.clicks = 1;
  event.button.x = x;
  event.button.y = y;
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
  const test::XServer server(kScreen);
  if (!server.is_there()) {
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

  // Without a window manager the window itself covers the display.
  presenter->set_fullscreen(true);
  CHECK(presenter->fullscreen());
  CHECK(SDL_ShowCursor(SDL_QUERY) == SDL_DISABLE);
  CHECK(x_window_size() == Size{1600, 900});
  presenter->next_monitor();  // there is only one
  CHECK(presenter->fullscreen());
  presenter->set_pointer_visible(true);
  CHECK(SDL_ShowCursor(SDL_QUERY) == SDL_ENABLE);
  presenter->set_fullscreen(false);
  CHECK_FALSE(presenter->fullscreen());
  CHECK(SDL_ShowCursor(SDL_QUERY) == SDL_ENABLE);
  CHECK(x_window_size() == Size{400, 300});

  presenter->set_playing(true);
  CHECK(SDL_IsScreenSaverEnabled() == SDL_FALSE);
  presenter->set_playing(false);
  CHECK(SDL_IsScreenSaverEnabled() == SDL_TRUE);
}

TEST_CASE("window: keys with Shift, mouse, wheel and dropped files become commands, with their positions") {
  const test::XServer server(kScreen);
  if (!server.is_there()) {
    MESSAGE("SKIP: Xvfb cannot be started (package xvfb)");
    return;
  }
  const auto presenter =
      make_presenter({.kind = PresenterKind::window, .width = 640, .height = 360, .fullscreen = false, .monitor = 1});
  poll_all(*presenter);
  press(SDLK_f, KMOD_LSHIFT);
  press(SDLK_q, KMOD_LCTRL);
  push_button(SDL_MOUSEBUTTONUP, SDL_BUTTON_LEFT, 31, 41);
  push_button(SDL_MOUSEBUTTONDOWN, SDL_BUTTON_RIGHT, 1, 1);
  push_button(SDL_MOUSEBUTTONDOWN, SDL_BUTTON_MIDDLE, 1, 1);
  SDL_Event event{};
  event.type = SDL_MOUSEWHEEL;
  for (const int turn : {1, -2, 0}) {
    event.wheel.y = turn;
    SDL_PushEvent(&event);
  }
  event = {};
  event.type = SDL_MOUSEMOTION;
  event.motion.x = 630;
  event.motion.y = 355;
  SDL_PushEvent(&event);
  for (const char* name : {"/tmp/ä b.mov", "c.mov"}) {
    event = {};
    event.type = SDL_DROPFILE;
    event.drop.file = SDL_strdup(name);
    SDL_PushEvent(&event);
  }
  event = {};
  event.type = SDL_DROPCOMPLETE;
  SDL_PushEvent(&event);
  std::vector<UserInput> inputs;
  while (const auto input = presenter->poll())
    if (input->command != Command::redraw) inputs.push_back(*input);
  std::vector<Command> commands;
  for (const UserInput& input : inputs) commands.push_back(input.command);
  using enum Command;
  REQUIRE(commands == std::vector{next_monitor, pointer_released, toggle_pause, louder, quieter, pointer_moved,
                                  file_dropped, file_dropped, drop_complete});
  CHECK(inputs[1].x == 31);
  CHECK(inputs[1].y == 41);
  CHECK(inputs[5].x == 630);
  CHECK(inputs[6].file == "/tmp/ä b.mov");
  CHECK(inputs[7].file == "c.mov");
}

TEST_CASE("window: mouse positions are in pixels, whatever the desktop's units") {
  SDL_Event event{};
  event.type = SDL_MOUSEMOTION;
  event.motion.x = 10;
  event.motion.y = 7;
  const auto input = input_of(event, {2, 1.5});
  REQUIRE(input);
  CHECK(input->x == 20);
  CHECK(input->y == 10);
}

TEST_CASE("window: monitors are counted from 1, and the error about one that does not exist names the others") {
  CHECK(next_monitor_index(0, 3) == 1);
  CHECK(next_monitor_index(2, 3) == 0);
  CHECK(next_monitor_index(0, 1) == 0);
  CHECK(next_monitor_index(-1, 2) == 0);  // unknown
  const test::XServer server(kScreen);
  if (!server.is_there()) {
    MESSAGE("SKIP: Xvfb cannot be started (package xvfb)");
    return;
  }
  const std::string message = message_of({.kind = PresenterKind::window, .monitor = 2}, ErrorKind::usage);
  CHECK(message.find("no monitor 2") != std::string::npos);
  CHECK(message.find("1600x900") != std::string::npos);
}

TEST_CASE("window: a picture larger than the desktop gets a window that fits on it") {
  const test::XServer server(kScreen);
  if (!server.is_there()) {
    MESSAGE("SKIP: Xvfb cannot be started (package xvfb)");
    return;
  }
  const auto presenter = make_presenter({.kind = PresenterKind::window, .vsync = Vsync::off});
  presenter->upload(flat_bc1(3840, 2160, 0xF800).view());
  poll_all(*presenter);
  CHECK(presenter->width() == 1600);
  CHECK(presenter->height() == 900);
}

TEST_CASE("window: opens where it was, with its size only if a person set it, and never out of sight") {
  const test::XServer server(kScreen);
  if (!server.is_there()) {
    MESSAGE("SKIP: Xvfb cannot be started (package xvfb)");
    return;
  }
  const auto open = [](std::optional<WindowPlace> place) {
    auto presenter = make_presenter({.kind = PresenterKind::window, .place = place});
    presenter->upload(flat_bc1(320, 180, 0xF800).view());
    poll_all(*presenter);
    return presenter;
  };
  CHECK(open(WindowPlace{40, 60, 500, 400})->place() == WindowPlace{40, 60, 500, 400});
  const auto moved = open(WindowPlace{40, 60, 0, 0});
  CHECK(moved->width() == 320);
  CHECK(moved->place() == WindowPlace{40, 60, 0, 0});
  // By hand, as the window manager does it.
  SDL_SetWindowSize(SDL_GL_GetCurrentWindow(), 640, 480);
  SDL_SetWindowPosition(SDL_GL_GetCurrentWindow(), 70, 80);
  poll_all(*moved);
  CHECK(moved->place() == WindowPlace{70, 80, 640, 480});
  moved->set_fullscreen(true);
  CHECK(moved->place() == WindowPlace{70, 80, 640, 480});
  CHECK(open(WindowPlace{5000, 60, 500, 400})->place()->x == (1600 - 320) / 2);  // of a monitor that is gone
  CHECK(open(WindowPlace{40, -3000, 500, 400})->place()->width == 0);
  CHECK(open(std::nullopt)->place() == WindowPlace{(1600 - 320) / 2, (900 - 180) / 2, 0, 0});
}

TEST_CASE("window: the whole player, with a key pressed while it runs") {
  const test::XServer server(kScreen);
  if (!server.is_there()) {
    MESSAGE("SKIP: Xvfb cannot be started (package xvfb)");
    return;
  }
  const auto presenter = make_presenter({.kind = PresenterKind::window, .width = 640, .height = 360});
  ScriptedFeed feed;
  for (uint64_t i = 0; i < 10; ++i) feed.script.push_back({i});
  std::optional<ShownPicture> saved;
  Player player({.choices = {.screenshot_with_osd = true},
                 .on_shown =
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
