// SPDX-License-Identifier: GPL-2.0-or-later
#include "workers.h"

#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "messages.h"

namespace texcast::obs {
namespace {

struct Count {
  std::mutex mutex;
  std::condition_variable changed;
  int running = 0;
};

// Never destroyed, as workers may outlive static objects.
Count& count() {
  static auto* const the = new Count;
  return *the;
}

void leave_at_once(int status, void* /*unused*/) {
  std::fflush(nullptr);
  _exit(status);
}

void run(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    say(LogLevel::error, error.what());
  }
}

}  // namespace

void start_worker(std::function<void()> work) {
  {
    const std::lock_guard lock(count().mutex);
    ++count().running;
  }
  auto body = [work = std::move(work)]() mutable {
    run(work);
    work = nullptr;  // what it shares ends before it counts as ended
    const std::lock_guard lock(count().mutex);
    --count().running;
    count().changed.notify_all();
  };
  try {
    std::thread(std::move(body)).detach();
  } catch (...) {
    const std::lock_guard lock(count().mutex);
    --count().running;
    throw;
  }
}

void await_workers(std::chrono::milliseconds limit) {
  std::unique_lock lock(count().mutex);
  if (count().changed.wait_for(lock, limit, [] { return count().running == 0; })) return;
  say(LogLevel::info, "a compiler or a name server is still busy; OBS does not wait for it");
  on_exit(leave_at_once, nullptr);
}

}  // namespace texcast::obs
