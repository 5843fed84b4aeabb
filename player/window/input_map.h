// input_map.h — what a person asks for with a key, the mouse or the window system: SDL's events as UserInput.
//
// One table of keys serves the window, the `?` panel, the man page and the README. All of it is pure.
#pragma once

#include <SDL_events.h>
#include <SDL_keycode.h>

#include <optional>
#include <span>

#include "player/input.h"

namespace texcast::player {

// What has to be held with a key. Letters of the layout, not places: `[` is AltGr+8 on a German keyboard.
enum class Held { nothing, shift, alt_gr, anything };

struct KeyChord {
  SDL_Keycode key = SDLK_UNKNOWN;
  Held held = Held::nothing;
};

struct KeyBinding {
  Command command;
  std::span<const KeyChord> chords;
  bool repeats = false;  // while held; a held `f` would flicker
};

struct KeyRow {
  const char* keys;  // as people name them; several bindings of one row in the same order
  const char* about;
  std::span<const KeyBinding> bindings;
};

std::span<const KeyRow> key_table();

// `modifiers`: SDL's, of that moment. Nothing with Ctrl, left Alt or the system's key held: those are the window
// manager's.
std::optional<Command> command_for_key(SDL_Keycode key, unsigned modifiers, bool is_repeat);

// Pixels of the drawable in a unit of the window: 2 on many HiDPI desktops.
struct PointerScale {
  double x = 1;
  double y = 1;
};

// Nothing for events that mean nothing to us. Frees what a drop event owns, so ask once for each event.
std::optional<UserInput> input_of(const SDL_Event& event, PointerScale scale);

}  // namespace texcast::player
