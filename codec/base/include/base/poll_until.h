// poll_until.h — poll() with a moment as its end.
#pragma once

#include <poll.h>

#include <span>

#include "texcast/frame_times.h"

namespace texcast {

// Until something that is waited for has come, at least one look even where `deadline` has passed; also for no reason
// (a signal, an hour). How many have something in `revents`, which was zero before: 0 or less where none has.
int poll_until(std::span<pollfd> waiting, SteadyTime deadline);

}  // namespace texcast
