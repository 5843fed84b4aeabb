// contexts.h — the surfaces to draw on: a window through SDL, or a framebuffer in memory through EGL; and the monitors.
//
// Thread: the render thread; for windows the program's main thread.
#pragma once

#include <memory>

#include "player/gl_context.h"

namespace texcast::player {

// Both throw Error{no_display}, whose message says what to do.
std::unique_ptr<GlContext> make_sdl_context(const PresenterSettings& settings);
std::unique_ptr<GlContext> make_egl_context(const PresenterSettings& settings);

// Converts a monitor's number, which people count from 1, to SDL's index, from 0. Throws Error{usage} with the list of
// monitors. SDL's video system must be open, as it is while there is a window.
int monitor_index(int monitor);

// SDL's index of the monitor after `current`, or of the first one after the last; 0 if there is no other.
int next_monitor_index(int current, int count);

}  // namespace texcast::player
