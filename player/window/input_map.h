// input_map.h — converts SDL's events of keys, the mouse and the window system to UserInput.
//
// One table of keys serves the window, the `?` panel, the man page and docs/manual.md. It has no state: any thread may
// use it.
#pragma once

#include <SDL_events.h>
#include <SDL_keycode.h>

#include <optional>
#include <span>

#include "player/input.h"

namespace texcast::player {

// The modifier of a key. Keys are characters of the keyboard's layout, not positions: `[` is AltGr+8 on a German
// keyboard.
enum class Held { nothing, shift, alt_gr, anything };

struct KeyChord {
  SDL_Keycode key = SDLK_UNKNOWN;
  Held held = Held::nothing;
};

struct KeyBinding {
  Command command;
  std::span<const KeyChord> chords;
  bool repeats = false;  // while the key is held; fullscreen that toggles 30 times a second would flicker
};

struct KeyRow {
  const char* keys;  // as people name them, in the order of the bindings
  const char* about;
  std::span<const KeyBinding> bindings;
};

std::span<const KeyRow> key_table();

// `modifiers`: SDL's flags when the key was pressed. Nothing with Ctrl, left Alt or the system's key, which belong to
// the window manager.
std::optional<Command> command_for_key(SDL_Keycode key, unsigned modifiers, bool is_repeat);

// Pixels of the drawable per unit of the window: 2 on many HiDPI desktops.
struct PointerScale {
  double x = 1;
  double y = 1;
};

// Nothing for events without a command. Frees the file name that a drop event owns: call it once for each event.
std::optional<UserInput> input_of(const SDL_Event& event, PointerScale scale);

}  // namespace texcast::player
