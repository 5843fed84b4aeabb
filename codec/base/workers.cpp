#include "base/workers.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/helper_threads.h"

namespace texcast {
namespace {

constexpr int kMostThreads = 7;

}  // namespace

class Workers::Threads {
 public:
  explicit Threads(int threads) : threads_(threads, [this] { serve(); }) {}
  ~Threads() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    begun_.notify_all();
  }
  void run(const Loop& loop);
  const HelperThreads& helpers() const { return threads_; }

 private:
  void take_items();
  void serve();

  std::atomic<bool> busy_{false};  // one loop at a time
  std::atomic<size_t> next_{0};    // item
  std::mutex mutex_;               // guards the following
  std::condition_variable begun_;  // to the workers
  std::condition_variable left_;   // to the caller: helping_ fell to 0
  Loop loop_;                      // written while no worker helps
  bool open_ = false;              // workers may join
  int helping_ = 0;                // workers inside loop_
  std::exception_ptr failure_;
  bool ending_ = false;
  HelperThreads threads_;  // last: they use the members above
};

int Workers::suggested_threads() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()) - 1, 0, kMostThreads);
}

Workers::Workers(int threads) : threads_(std::make_unique<Threads>(threads)) {}
Workers::~Workers() = default;
int Workers::threads() const { return threads_->helpers().count(); }
nanoseconds Workers::cpu_time() const { return threads_->helpers().cpu_time(); }
void Workers::run(const Loop& loop) { threads_->run(loop); }

void Workers::Threads::run(const Loop& loop) {
  if (loop.count == 0) return;
  if (threads_.count() == 0 || loop.count == 1 || busy_.exchange(true)) {
    for (size_t i = 0; i < loop.count; ++i) loop.call(loop.object, i);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    loop_ = loop;
    next_ = 0;
    open_ = true;
  }
  // No more than there are items for, beside the caller's own, as waking a thread costs more than some items take.
  const size_t helpers = std::min(loop.count - 1, static_cast<size_t>(threads_.count()));
  for (size_t i = 0; i < helpers; ++i) begun_.notify_one();
  take_items();
  std::exception_ptr failure;
  {
    std::unique_lock lock(mutex_);
    open_ = false;  // a worker that wakes only now has nothing to do, and must not see a loop that is over
    left_.wait(lock, [this] { return helping_ == 0; });
    failure = std::exchange(failure_, nullptr);
  }
  busy_ = false;
  if (failure) std::rethrow_exception(failure);
}

void Workers::Threads::take_items() {
  for (size_t i = next_.fetch_add(1); i < loop_.count; i = next_.fetch_add(1)) try {
      loop_.call(loop_.object, i);
    } catch (...) {
      next_ = loop_.count;
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
}

void Workers::Threads::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    begun_.wait(lock, [this] { return ending_ || (open_ && next_ < loop_.count); });
    if (ending_) return;
    ++helping_;
    lock.unlock();
    take_items();
    lock.lock();
    if (--helping_ == 0) left_.notify_all();
  }
}

}  // namespace texcast
