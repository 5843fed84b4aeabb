// ready_time.h — how long a thread could have run and had no processor.
#pragma once

#include "texcast/frame_times.h"

namespace texcast {

// In all, of the calling thread: Linux's run queue delay. 0 where the kernel does not count it.
nanoseconds thread_ready_now();

}  // namespace texcast
