#include "key_map.h"

#include "player/player.h"

namespace texcast::player {

std::optional<Command> command_for_key(SDL_Keycode key, bool is_repeat) {
  switch (key) {
    case SDLK_LEFT: return Command::seek_back_5s;
    case SDLK_RIGHT: return Command::seek_forward_5s;
    case SDLK_DOWN: return Command::seek_back_60s;
    case SDLK_UP: return Command::seek_forward_60s;
    default: break;
  }
  if (is_repeat) return std::nullopt;
  switch (key) {
    case SDLK_q: return Command::quit;
    case SDLK_ESCAPE: return Command::escape;
    case SDLK_i: return Command::toggle_osd;
    // `?` is Shift+/ on many keyboards, a key of its own on some; elsewhere there is `h`. Reading typed text instead
    // would know it everywhere, but an input method would then swallow the other keys.
    case SDLK_QUESTION:
    case SDLK_SLASH:
    case SDLK_h: return Command::toggle_keys;
    case SDLK_f:
    case SDLK_F11: return Command::toggle_fullscreen;
    case SDLK_SPACE: return Command::toggle_pause;
    case SDLK_s: return Command::screenshot;
    default: return std::nullopt;
  }
}

std::vector<std::string> key_help() {
  return {
      "i               statistics on and off",
      "f  F11          fullscreen (double click too)",
      "space           pause",
      "left  right     5 seconds back, forward (files)",
      "down  up        60 seconds back, forward (files)",
      "s               screenshot",
      "?  h            these keys",
      "q               quit",
      "Esc             leave fullscreen, else quit",
  };
}

}  // namespace texcast::player
