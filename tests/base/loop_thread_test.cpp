#include "base/loop_thread.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <optional>
#include <stdexcept>

using namespace texcast;

namespace {

void wait_for(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

}  // namespace

TEST_CASE("a stop request ends a wait on a condition variable, and finish() waits for the thread's end") {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::atomic<bool> waiting = false, over = false;
  LoopThread thread([&](const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    waiting = true;
    CHECK_FALSE(changed.wait(lock, stop, [] { return false; }));
    over = true;
  });
  wait_for(waiting);
  CHECK_FALSE(thread.stop_requested());
  thread.finish();
  CHECK(thread.stop_requested());
  CHECK(over);
}

TEST_CASE("the destructor requests a stop and waits for the thread") {
  std::atomic<bool> over = false;
  {
    const LoopThread thread([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      over = true;
    });
  }
  CHECK(over);
}

TEST_CASE("an exception of the thread is rethrown to the caller that asks for it") {
  std::atomic<bool> over = false;
  LoopThread thread([](const std::stop_token&) { throw std::runtime_error("no paper"); },
                    [&](const std::exception_ptr&) { over = true; });
  wait_for(over);
  CHECK(thread.failed());
  for (int i = 0; i < 2; ++i) CHECK_THROWS_WITH_AS(thread.rethrow_failure(), "no paper", std::runtime_error);
  for (int i = 0; i < 2; ++i) CHECK_THROWS_WITH_AS(thread.finish(), "no paper", std::runtime_error);
  thread.stop();  // throws nothing
}

TEST_CASE("finish() waits for the exception that the thread is going to throw") {
  LoopThread thread([](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
    throw std::runtime_error("no paper");
  });
  thread.rethrow_failure();  // throws nothing yet
  CHECK_FALSE(thread.failed());
  CHECK_THROWS_WITH_AS(thread.finish(), "no paper", std::runtime_error);
}

TEST_CASE("the end is reported after the failure is known, and also if the thread just returned") {
  for (const bool throws : {true, false}) {
    std::optional<LoopThread> thread;
    std::atomic<bool> made = false, over = false;
    bool told = false, known = false;
    thread.emplace(
        [&](const std::stop_token&) {
          wait_for(made);
          if (throws) throw std::runtime_error("no paper");
        },
        [&](const std::exception_ptr& failure) {
          told = failure != nullptr;
          known = thread->failed();
          over = true;
        });
    made = true;
    wait_for(over);
    CHECK(told == throws);
    CHECK(known == throws);
  }
}

TEST_CASE("a failure that nobody asks for ends only its own thread") {
  const LoopThread thread([](const std::stop_token&) { throw std::runtime_error("no paper"); });
}
