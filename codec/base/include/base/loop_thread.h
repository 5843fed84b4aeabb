// loop_thread.h — a thread that works until it is asked to stop, and keeps the exception that the work threw.
//
// Example: a thread that does jobs, and finishes those that are queued after it was asked to stop.
//     std::condition_variable_any changed_;
//     LoopThread thread_{[this](const std::stop_token& stop) {
//       std::unique_lock lock(mutex_);
//       while (changed_.wait(lock, stop, [this] { return has_job(); })) do_job();
//     }};   // declared last: it uses the members above
// A stop request ends such a wait by itself. Other waits (on a socket) need a std::stop_callback that ends them.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace texcast {

// All members but the constructor, stop(), finish() and the destructor may be called on any thread.
class LoopThread {
 public:
  using Work = std::function<void(const std::stop_token& stop)>;
  using AtEnd = std::function<void(const std::exception_ptr& failure)>;

  // Starts at once. The thread calls `at_end` last, with the exception that the work threw, or null if it returned.
  // `at_end` must not throw.
  explicit LoopThread(Work work, AtEnd at_end = {});
  // Stops. An exception of the work is discarded; owners that must not lose it call finish().
  ~LoopThread() = default;
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  void request_stop() { thread_.request_stop(); }
  bool stop_requested() const { return thread_.get_stop_token().stop_requested(); }
  void stop();  // requests a stop and waits for the end
  // As stop(), then throws the exception of the work, if any.
  void finish() {
    stop();
    rethrow_failure();
  }
  // Throws the exception of the work, on each call; does nothing if the work still runs or has returned. Does not wait.
  void rethrow_failure() const;
  std::exception_ptr failure() const;  // null if rethrow_failure() would throw nothing
  bool failed() const { return failure() != nullptr; }

 private:
  mutable std::mutex mutex_;
  std::exception_ptr failure_;
  std::jthread thread_;  // last: it uses the members above
};

}  // namespace texcast
