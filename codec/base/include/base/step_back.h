// step_back.h — threads that leave the processor to others that want it.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

namespace texcast {

// A thread of this process, and those that it makes from now on: Linux has a nice value for each. It gets a tenth of
// the share that others get, so that they wait little, and it still goes on. There is no way back.
inline void step_back(pid_t thread) {
  constexpr int kNice = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(thread), kNice);
}
inline void step_back() { step_back(gettid()); }

}  // namespace texcast
