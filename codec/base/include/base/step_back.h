// step_back.h — lowers the priority of a thread in favour of others.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

namespace texcast {

// Applies to a thread of this process and to those that it starts from now on, as Linux has a nice value per thread.
// The thread gets a tenth of the share that others get, so that they wait little, and still makes progress. The
// priority cannot be raised again.
inline void step_back(pid_t thread) {
  constexpr int kNice = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(thread), kNice);
}
inline void step_back() { step_back(gettid()); }

}  // namespace texcast
