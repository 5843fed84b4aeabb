#include "base/loop_thread.h"

#include <utility>

namespace texcast {

LoopThread::LoopThread(Work work, AtEnd at_end)
    : thread_([this, work = std::move(work), at_end = std::move(at_end)](const std::stop_token& stop) {
        std::exception_ptr failure;
        try {
          work(stop);
        } catch (...) {
          failure = std::current_exception();
        }
        {
          const std::lock_guard lock(mutex_);
          failure_ = failure;
        }
        if (at_end) at_end(failure);
      }) {}

void LoopThread::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

std::exception_ptr LoopThread::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void LoopThread::rethrow_failure() const {
  if (const std::exception_ptr failed = failure()) std::rethrow_exception(failed);
}

}  // namespace texcast
