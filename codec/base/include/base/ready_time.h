// ready_time.h — how long a thread was runnable without a processor.
#pragma once

#include "texcast/frame_times.h"

namespace texcast {

// The total of the calling thread: Linux's run queue delay. 0 if the kernel does not count it.
nanoseconds thread_ready_now();

}  // namespace texcast
