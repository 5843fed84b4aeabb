#include "base/workers.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/helper_threads.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace texcast {
namespace {

constexpr int kMostThreads = 11;
// Waking a thread that sleeps takes about as long. Loops that follow each other within this time find threads awake.
constexpr auto kSpinTime = std::chrono::microseconds(60);

void pause() {
#if defined(__SSE2__)
  _mm_pause();
#endif
}

// Waits for kSpinTime at most. Returns whether `is_over()` became true.
template <typename IsOver>
bool spin(const IsOver& is_over) {
  constexpr int kLooks = 64;  // between two looks at the clock
  const auto end = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (is_over()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return is_over();
}

}  // namespace

class Workers::Threads {
 public:
  explicit Threads(int threads)
      : has_processors_(static_cast<int>(std::thread::hardware_concurrency()) > threads + 1),
        threads_(threads, [this] { serve(); }) {}
  ~Threads() {
    ending_ = true;
    ++loops_;
    loops_.notify_all();
  }
  void run(const Loop& loop);
  void stay_awake(int more) { awake_ += more; }
  void wake();
  const HelperThreads& helpers() const { return threads_; }

 private:
  static constexpr uint32_t kOpen = 1u << 31;  // in state_

  void open(const Loop& loop);
  void close();
  bool join();
  void leave();
  void take_items();
  void serve();
  void wait_for_loop(uint32_t seen) const;

  const bool has_processors_;       // for threads that spin, beside those that have work
  std::atomic<bool> busy_{false};   // one loop at a time
  std::atomic<size_t> next_{0};     // item
  std::atomic<uint32_t> loops_{0};  // so many have begun; workers wait for the next one
  std::atomic<uint32_t> state_{0};  // kOpen: workers may join the loop; and the number of workers inside it
  std::atomic<int> awake_{0};       // Awake objects
  std::atomic<bool> ending_{false};
  Loop loop_;         // written while no worker is inside, and none may join
  std::mutex mutex_;  // guards failure_
  std::exception_ptr failure_;
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
void Workers::stay_awake(int more) { threads_->stay_awake(more); }
void Workers::wake() { threads_->wake(); }

void Workers::Threads::run(const Loop& loop) {
  if (loop.count == 0) return;
  if (threads_.count() == 0 || loop.count == 1 || busy_.exchange(true)) {
    for (size_t i = 0; i < loop.count; ++i) loop.call(loop.object, i);
    return;
  }
  open(loop);
  take_items();
  close();
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  busy_ = false;
  if (failure) std::rethrow_exception(failure);
}

// The threads find that no loop is open, and wait actively for the next one.
void Workers::Threads::wake() {
  if (!has_processors_ || awake_ <= 0) return;
  ++loops_;
  loops_.notify_all();
}

void Workers::Threads::open(const Loop& loop) {
  loop_ = loop;
  next_ = 0;
  state_ = kOpen;
  ++loops_;
  // No more than there are items for, beside the caller's own, as waking a thread costs more than some items take.
  const size_t all = static_cast<size_t>(threads_.count()), helpers = std::min(loop.count - 1, all);
  if (helpers == all) return loops_.notify_all();  // one call of the kernel
  for (size_t i = 0; i < helpers; ++i) loops_.notify_one();
}

// A worker that wakes only now has nothing to do, and must not see a loop that is over.
void Workers::Threads::close() {
  state_ &= ~kOpen;
  if (spin([this] { return state_ == 0; })) return;
  for (uint32_t state = state_; state != 0; state = state_) state_.wait(state);
}

bool Workers::Threads::join() {
  uint32_t state = state_;
  while ((state & kOpen) != 0)
    if (state_.compare_exchange_weak(state, state + 1)) return true;
  return false;
}

void Workers::Threads::leave() {
  if (--state_ == 0) state_.notify_all();
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
  while (!ending_) {
    const uint32_t seen = loops_;
    if (join()) {
      take_items();
      leave();
    }
    if (!ending_) wait_for_loop(seen);
  }
}

void Workers::Threads::wait_for_loop(uint32_t seen) const {
  if (has_processors_ && awake_ > 0 && spin([&] { return loops_ != seen; })) return;
  loops_.wait(seen);
}

}  // namespace texcast
