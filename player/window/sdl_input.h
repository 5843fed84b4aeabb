// sdl_input.h — SDL's events as what a person asked for.
#pragma once

#include <SDL_events.h>

#include <optional>

#include "player/input.h"

namespace texcast::player {

// Pixels of the drawable in a unit of the window: 2 on many HiDPI desktops.
struct PointerScale {
  double x = 1;
  double y = 1;
};

// Nothing for events that mean nothing to us. Frees what a drop event owns, so ask once for each event.
std::optional<UserInput> input_of(const SDL_Event& event, PointerScale scale);

}  // namespace texcast::player
