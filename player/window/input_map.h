// input_map.h — what a person asks for with a key, the mouse or the window system: SDL's events as UserInput.
//
// One table of keys serves the window, the `?` panel, the man page and docs/manual.md. No state: any thread.
#pragma once

#include <SDL_events.h>
#include <SDL_keycode.h>

#include <optional>
#include <span>

#include "player/input.h"

namespace texcast::player {

// What has to be held with a key. Keys are what the keyboard's layout makes of them, not places on it: `[` is AltGr+8
// on a German keyboard.
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

// `modifiers`: SDL's flags, as they were when the key was pressed. None with Ctrl, left Alt or the system's key: such
// keys are the window manager's.
std::optional<Command> command_for_key(SDL_Keycode key, unsigned modifiers, bool is_repeat);

// Pixels of the drawable in a unit of the window: 2 on many HiDPI desktops.
struct PointerScale {
  double x = 1;
  double y = 1;
};

// None for events that ask for nothing. Frees the file name that a drop event owns: call it once for each event.
std::optional<UserInput> input_of(const SDL_Event& event, PointerScale scale);

}  // namespace texcast::player
