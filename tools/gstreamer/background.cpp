#include "background.h"

#include <link.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

namespace texcast::gstreamer {
namespace {

constexpr std::chrono::seconds kLongestExit(5);

struct Running {
  std::mutex mutex;
  std::condition_variable changed;
  int count = 0;
  uint64_t works = 0;                // so far
  unsigned long long libraries = 0;  // loaded so far, when the last handler was registered
};

Running& running() {
  static Running* const all = new Running;  // never destroyed, as threads may end after the process's statics
  return *all;
}

// A compiler that still runs would use statics that the process has destroyed. So the process ends without its other
// handlers if the work takes too long.
void wait_at_exit(int status, void* /*unused*/) {
  std::unique_lock lock(running().mutex);
  if (running().changed.wait_for(lock, kLongestExit, [] { return running().count == 0; })) return;
  std::fflush(nullptr);
  _exit(status);
}

void count_down() {
  const std::lock_guard lock(running().mutex);
  --running().count;
  running().changed.notify_all();
}

unsigned long long loaded_libraries() {
  unsigned long long loads = 0;
  const auto read = [](dl_phdr_info* info, size_t /*unused*/, void* result) {
    *static_cast<unsigned long long*>(result) = info->dlpi_adds;
    return 1;
  };
  dl_iterate_phdr(read, &loads);
  return loads;
}

}  // namespace

// Handlers run in the reverse order of their registration, among them those of libraries, which are registered when a
// library is loaded or first used. So there is a new one after libraries were loaded, and after 1, 2, 4, 8 … works.
void outlast_loaded_libraries() {
  const unsigned long long libraries = loaded_libraries();
  {
    const std::lock_guard lock(running().mutex);
    if (libraries == running().libraries && !std::has_single_bit(running().works)) return;
    running().libraries = libraries;
  }
  on_exit(wait_at_exit, nullptr);
}

void run_in_background(std::function<void()> work) {
  outlast_loaded_libraries();
  {
    const std::lock_guard lock(running().mutex);
    ++running().count;
    ++running().works;
  }
  auto body = [work = std::move(work)]() mutable {
    work();
    work = nullptr;  // what it holds ends before it counts as done
    count_down();
  };
  try {
    std::thread(std::move(body)).detach();
  } catch (...) {
    count_down();
    throw;
  }
}

}  // namespace texcast::gstreamer
