// receive_camera.h — `texcast receive SOURCE pipewire:NAME` and `v4l2:/dev/videoN`: a stream as a camera of this
// machine.
#pragma once

#include <string>

#include "cli/options.h"

namespace texcast::cli {

bool is_camera(const std::string& output);  // pipewire:… or v4l2:…

// Runs until the stream's time is over (--timeout, --frames), a signal, or the end of the camera. Throws Error{usage}
// for options that have no effect on cameras.
int run_camera(const StreamOptions& options);

}  // namespace texcast::cli
