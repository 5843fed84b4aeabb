// contexts.h — what we can draw in: a window of SDL's, or memory of EGL's; and the monitors that there are.
//
// Thread: the render thread, for windows the program's main thread.
#pragma once

#include <memory>

#include "player/gl_context.h"

namespace texcast::player {

// Both throw Error{no_display} with what to do.
std::unique_ptr<GlContext> make_sdl_context(const PresenterSettings& settings);
std::unique_ptr<GlContext> make_egl_context(const PresenterSettings& settings);

// Monitors: people count them from 1, SDL from 0. The video system must be open, as it is while there is a window.

// SDL's index of `monitor`. Throws Error{usage} with the list of those that there are.
int monitor_index(int monitor);

// The one after `current`, round and round; 0 where there is no other.
int next_monitor_index(int current, int count);

}  // namespace texcast::player
