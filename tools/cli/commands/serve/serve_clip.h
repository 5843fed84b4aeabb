// serve_clip.h — `texcast serve FILE web://…`: a recording as a live stream.
#pragma once

#include "cli/options.h"

namespace texcast::cli {

// Runs until the end of the recording, or a signal. Returns the exit code; throws Error as run_serve().
int serve_clip(const ServeOptions& options);

}  // namespace texcast::cli
