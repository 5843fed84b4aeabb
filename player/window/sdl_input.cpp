#include "sdl_input.h"

#include <SDL_stdinc.h>

#include <cmath>
#include <memory>

#include "key_map.h"

namespace texcast::player {
namespace {

UserInput at(Command command, int x, int y, PointerScale scale) {
  return {command, static_cast<int>(std::floor(x * scale.x)), static_cast<int>(std::floor(y * scale.y))};
}

std::optional<UserInput> button_pressed(const SDL_MouseButtonEvent& button, PointerScale scale) {
  if (button.button == SDL_BUTTON_RIGHT) return Command::toggle_pause;
  if (button.button != SDL_BUTTON_LEFT) return std::nullopt;
  return at(button.clicks == 2 ? Command::pointer_double_pressed : Command::pointer_pressed, button.x, button.y, scale);
}

std::optional<UserInput> wheel_turned(const SDL_MouseWheelEvent& wheel) {
  const int up = wheel.direction == SDL_MOUSEWHEEL_FLIPPED ? -wheel.y : wheel.y;
  if (up == 0) return std::nullopt;
  return up > 0 ? Command::louder : Command::quieter;
}

std::optional<UserInput> dropped_file(char* name) {
  const std::unique_ptr<char, decltype(&SDL_free)> owner(name, &SDL_free);
  if (name == nullptr) return std::nullopt;
  return UserInput(Command::file_dropped, name);
}

std::optional<UserInput> window_changed(Uint8 what) {
  switch (what) {
    case SDL_WINDOWEVENT_SIZE_CHANGED:
    case SDL_WINDOWEVENT_EXPOSED: return Command::redraw;
    case SDL_WINDOWEVENT_LEAVE: return Command::pointer_left;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<UserInput> input_of(const SDL_Event& event, PointerScale scale) {
  switch (event.type) {
    case SDL_QUIT: return Command::quit;
    case SDL_KEYDOWN:
      if (const auto command = command_for_key(event.key.keysym.sym, event.key.keysym.mod, event.key.repeat != 0))
        return *command;
      return std::nullopt;
    case SDL_MOUSEMOTION: return at(Command::pointer_moved, event.motion.x, event.motion.y, scale);
    case SDL_MOUSEBUTTONDOWN: return button_pressed(event.button, scale);
    case SDL_MOUSEBUTTONUP:
      if (event.button.button != SDL_BUTTON_LEFT) return std::nullopt;
      return at(Command::pointer_released, event.button.x, event.button.y, scale);
    case SDL_MOUSEWHEEL: return wheel_turned(event.wheel);
    case SDL_DROPFILE: return dropped_file(event.drop.file);
    case SDL_DROPCOMPLETE: return Command::drop_complete;
    case SDL_WINDOWEVENT: return window_changed(event.window.event);
    default: return std::nullopt;
  }
}

}  // namespace texcast::player
