// key_map.h — which key means which command. Pure; the only place that knows keys (key_help() says the same to people).
#pragma once

#include <SDL_keycode.h>

#include <optional>

#include "player/presenter.h"

namespace texcast::player {

// `is_repeat`: the key is being held. Only seeking repeats: a held `f` would flicker.
std::optional<Command> command_for_key(SDL_Keycode key, bool is_repeat);

}  // namespace texcast::player
