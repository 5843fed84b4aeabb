#include "background.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace texcast::gstreamer {
namespace {

constexpr std::chrono::seconds kLongestExit(5);
constexpr int kMostHandlers = 32;  // drivers are loaded with the first streams

struct Running {
  std::mutex mutex;
  std::condition_variable changed;
  int count = 0;
  int handlers = 0;
};

Running& running() {
  static Running* const all = new Running;  // never destroyed, as threads may end after the process's statics
  return *all;
}

void wait_at_exit() {
  std::unique_lock lock(running().mutex);
  running().changed.wait_for(lock, kLongestExit, [] { return running().count == 0; });
}

}  // namespace

// Handlers run in the reverse order of their registration, among them those of libraries.
void outlast_loaded_libraries() {
  {
    const std::lock_guard lock(running().mutex);
    if (running().handlers >= kMostHandlers) return;
    ++running().handlers;
  }
  std::atexit(wait_at_exit);
}

void run_in_background(std::function<void()> work) {
  outlast_loaded_libraries();
  {
    const std::lock_guard lock(running().mutex);
    ++running().count;
  }
  std::thread([work = std::move(work)]() mutable {
    work();
    work = nullptr;  // what it holds ends before it counts as done
    const std::lock_guard lock(running().mutex);
    --running().count;
    running().changed.notify_all();
  }).detach();
}

}  // namespace texcast::gstreamer
