// loop_thread.h — a thread that does its work until it is told to stop, and keeps what the work threw for whoever asks.
//
// Example: a thread that does jobs, all that are there also after it was told to stop.
//     std::condition_variable_any changed_;
//     LoopThread thread_{[this](const std::stop_token& stop) {
//       std::unique_lock lock(mutex_);
//       while (changed_.wait(lock, stop, [this] { return has_job(); })) do_job();
//     }};   // declared last: it uses the members above
// A stop request ends such a wait by itself. For waits of other kinds (a socket's) the work has a std::stop_callback
// that ends them.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace texcast {

// All but the constructor, stop(), finish() and the destructor may be called on any thread.
class LoopThread {
 public:
  using Work = std::function<void(const std::stop_token& stop)>;
  using AtEnd = std::function<void(const std::exception_ptr& failure)>;

  // Starts at once. `at_end` is the last that the thread does: with what the work threw, or null where it returned. It
  // must not throw.
  explicit LoopThread(Work work, AtEnd at_end = {});
  // stop(). What the work threw is forgotten: owners that must not lose it call
  // finish().
  ~LoopThread() = default;
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  void request_stop() { thread_.request_stop(); }
  bool stop_requested() const { return thread_.get_stop_token().stop_requested(); }
  void stop();  // requests it and waits for the end
  // The same, then throws what the work threw.
  void finish() {
    stop();
    rethrow_failure();
  }
  // Throws what the work threw, each time; nothing where it has not ended or just returned. Does not wait.
  void rethrow_failure() const;
  std::exception_ptr failure() const;  // null where it would throw nothing
  bool failed() const { return failure() != nullptr; }

 private:
  mutable std::mutex mutex_;
  std::exception_ptr failure_;
  std::jthread thread_;  // last: it uses the above
};

}  // namespace texcast
