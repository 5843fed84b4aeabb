// no_capture.h — the error of a capture that cannot start.
#pragma once

#include <string>

#include "texcast/error.h"

namespace texcast::screen::wayland {

// `why`: what is missing, and what to do.
[[noreturn]] inline void fail(const std::string& why) {
  throw Error(ErrorKind::input, "cannot capture the desktop: " + why);
}

}  // namespace texcast::screen::wayland
