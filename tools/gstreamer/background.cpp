#include "background.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace texcast::gstreamer {
namespace {

constexpr std::chrono::seconds kLongestExit(5);

struct Running {
  std::mutex mutex;
  std::condition_variable changed;
  int count = 0;
};

void wait_at_exit();

Running& running() {
  static Running* const all = [] {
    std::atexit(wait_at_exit);
    return new Running;  // never destroyed, as threads may end after the process's statics
  }();
  return *all;
}

void wait_at_exit() {
  std::unique_lock lock(running().mutex);
  running().changed.wait_for(lock, kLongestExit, [] { return running().count == 0; });
}

}  // namespace

void run_in_background(std::function<void()> work) {
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

void wait_for_background() {
  std::unique_lock lock(running().mutex);
  running().changed.wait(lock, [] { return running().count == 0; });
}

}  // namespace texcast::gstreamer
