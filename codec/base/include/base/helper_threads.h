// helper_threads.h — threads that all do the same, as many as were asked for or as the system has left.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "texcast/frame_times.h"

namespace texcast {

// Belongs last into the class whose work they do: they use the rest of it. cpu_time() from any thread.
class HelperThreads {
 public:
  // Each calls `serve` once, which returns when there is nothing to do any more.
  HelperThreads(int count, const std::function<void()>& serve);
  ~HelperThreads();  // waits for that
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;

  int count() const { return static_cast<int>(threads_.size()); }
  nanoseconds cpu_time() const;  // that they have spent so far

 private:
  std::vector<std::thread> threads_;
};

}  // namespace texcast
