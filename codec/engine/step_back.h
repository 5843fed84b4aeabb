// step_back.h — threads that leave the processor to others that want it.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace texcast {

// The calling thread, and those that it makes from now on: Linux has a nice value for each. A tenth of the share that
// others get, so that they wait little, and it still goes on.
inline void step_back() {
  constexpr int kNice = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
}

}  // namespace texcast
