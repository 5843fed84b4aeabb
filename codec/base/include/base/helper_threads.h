// helper_threads.h — several threads that run the same function: as many as requested, or as the system can start.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "texcast/frame_times.h"

namespace texcast {

// Declare it as the last member of the class whose work it does, as the threads use the other members. cpu_time() may
// be called on any thread.
class HelperThreads {
 public:
  // Each thread calls `serve` once. `serve` returns when there is nothing left to do.
  HelperThreads(int count, const std::function<void()>& serve);
  ~HelperThreads();  // waits until all have returned
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;

  int count() const { return static_cast<int>(threads_.size()); }
  nanoseconds cpu_time() const;  // spent by the threads so far

 private:
  std::vector<std::thread> threads_;
};

}  // namespace texcast
