// window.h — opens what pictures are shown on, and names the keys that are understood there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "player/presenter.h"

namespace texcast::player {

// Throws Error{no_display}: no display for a window, no EGL device, an OpenGL without S3TC. The message says what to
// do.
std::unique_ptr<Presenter> make_presenter(const PresenterSettings& settings);

// What each key does, for the man page and the README, as the `?` panel has it.
std::vector<std::string> key_help();
std::vector<std::string> key_lines();  // of the `?` panel

}  // namespace texcast::player
