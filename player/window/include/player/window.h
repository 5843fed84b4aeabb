// window.h — creates presenters, and lists the keys that they understand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "player/presenter.h"

namespace texcast::player {

// Throws Error{no_display}: no display for a window, no EGL device, an OpenGL without S3TC. The message says what to
// do.
std::unique_ptr<Presenter> make_presenter(const PresenterSettings& settings);

// The effect of each key, a line for each row of keys: in two columns for the man page and docs/manual.md, and with a
// tab between keys and texts for the `?` panel.
std::vector<std::string> key_help();
std::vector<std::string> key_lines();

}  // namespace texcast::player
