#include "base/helper_threads.h"

#include <pthread.h>

#include <system_error>

#include "base/ensure.h"
#include "base/stage_time.h"

namespace texcast {

HelperThreads::HelperThreads(int count, const std::function<void()>& serve) {
  ENSURE(count >= 0);
  threads_.reserve(static_cast<size_t>(count));
  try {
    for (int i = 0; i < count; ++i) threads_.emplace_back(serve);
  } catch (const std::system_error&) {
    // The system has no more threads. The ones that run are enough.
  }
}

HelperThreads::~HelperThreads() {
  for (std::thread& thread : threads_) thread.join();
}

nanoseconds HelperThreads::cpu_time() const {
  nanoseconds spent{};
  for (const std::thread& thread : threads_) {
    clockid_t clock{};
    if (pthread_getcpuclockid(const_cast<std::thread&>(thread).native_handle(), &clock) == 0) spent += cpu_now(clock);
  }
  return spent;
}

}  // namespace texcast
