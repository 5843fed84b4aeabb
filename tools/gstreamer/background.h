// background.h — work that a pipeline does not wait for: resolving names, building kernels, ending a stream.
#pragma once

#include <functional>

namespace texcast::gstreamer {

// Runs `work` on a thread of its own. It must not throw. The end of the process waits a few seconds for work that still
// runs, because drivers do not survive the end of the process's statics; after that it ends without destroying them.
void run_in_background(std::function<void()> work);

// The end of the process waits for the background before libraries end that were loaded until now. run_in_background()
// does this too; work that loads a driver calls it again then.
void outlast_loaded_libraries();

}  // namespace texcast::gstreamer
