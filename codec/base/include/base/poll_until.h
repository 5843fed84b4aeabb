// poll_until.h — poll() with a deadline.
#pragma once

#include <poll.h>

#include <span>

#include "texcast/frame_times.h"

namespace texcast {

// Waits until one of the descriptors is ready, and polls at least once even if `deadline` has passed. May return early
// (after a signal, or an hour). Returns how many have `revents`, which must be zero before; 0 or negative if none has.
int poll_until(std::span<pollfd> waiting, SteadyTime deadline);

}  // namespace texcast
