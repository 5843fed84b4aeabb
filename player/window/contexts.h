// contexts.h — the two places that we can draw in: a window, and memory.
#pragma once

#include <memory>

#include "player/gl_context.h"

namespace texcast::player {

// Both throw Error{no_display} with what to do.
std::unique_ptr<GlContext> make_sdl_context(const PresenterSettings& settings);
std::unique_ptr<GlContext> make_egl_context(const PresenterSettings& settings);

}  // namespace texcast::player
