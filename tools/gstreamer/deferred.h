// deferred.h — an object that is made and ended in the background, so that a pipeline stops at once while a name
// resolves, a kernel is built, or a stream is ended.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "background.h"
#include "texcast/frame_times.h"

namespace texcast::gstreamer {

// Thread-safe. Objects are made and ended one after another, so that the next one finds the port free.
template <typename T>
class Deferred {
 public:
  using Make = std::function<std::unique_ptr<T>()>;
  using OnFailure = std::function<void(const std::exception_ptr&)>;

  Deferred() : shared_(std::make_shared<Shared>()) {}
  ~Deferred() { close(); }
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;

  // Ends the present object, and makes another one after that. `on_failure` is called on the thread that made it.
  void open(Make make, OnFailure on_failure = {}) {
    const std::lock_guard lock(shared_->mutex);
    std::shared_ptr<T> before = std::move(shared_->object);
    const uint64_t attempt = ++shared_->attempt;
    shared_->is_opening = true;
    shared_->failure = nullptr;
    run_in_turn([shared = shared_, attempt, before = std::move(before), make = std::move(make),
                 on_failure = std::move(on_failure)]() mutable {
      before.reset();
      carry_out(*shared, attempt, make, on_failure);
    });
  }

  // Ends the object. Returns at once.
  void close() {
    const std::lock_guard lock(shared_->mutex);
    std::shared_ptr<T> before = std::move(shared_->object);
    ++shared_->attempt;
    shared_->is_opening = false;
    shared_->failure = nullptr;
    shared_->changed.notify_all();
    if (before) run_in_turn([before = std::move(before)]() mutable { before.reset(); });
  }

  // True: waiting calls return at once, until this is called with false.
  void interrupt(bool on) {
    const std::lock_guard lock(shared_->mutex);
    shared_->is_interrupted = on;
    shared_->changed.notify_all();
  }
  bool is_interrupted() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->is_interrupted;
  }

  // Waits for the object. False: interrupted, or closed. Throws what making it threw.
  bool wait() {
    std::unique_lock lock(shared_->mutex);
    shared_->changed.wait(lock, [this] { return shared_->is_interrupted || !shared_->is_opening; });
    if (shared_->failure) std::rethrow_exception(shared_->failure);
    return shared_->object != nullptr && !shared_->is_interrupted;
  }

  // Waits until it is known whether the object could be made, at most `limit`. False: it could not.
  bool wait_for_failure(nanoseconds limit) {
    std::unique_lock lock(shared_->mutex);
    shared_->changed.wait_for(lock, limit, [this] { return !shared_->is_opening; });
    return shared_->failure == nullptr;
  }

  // Calls `use` with the object if there is one, and returns the result. One caller at a time.
  template <typename Use>
  auto with(Use&& use) -> std::optional<decltype(use(std::declval<T&>()))> {
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->object) return std::nullopt;
    return use(*shared_->object);
  }

 private:
  // Outlives the owner as long as a thread makes an object.
  struct Shared {
    mutable std::mutex mutex;  // of all members, and of the object's calls
    std::condition_variable changed;
    uint64_t attempt = 0;          // counts open() and close(); results of earlier ones are dropped
    uint64_t turns = 0, turn = 0;  // of works in the background: given out, and the one that may run
    bool is_opening = false;
    bool is_interrupted = false;
    std::unique_ptr<T> object;
    std::exception_ptr failure;
  };

  // Runs the work in the background after earlier ones. With the lock, so that no turn is lost if no thread can start.
  void run_in_turn(std::function<void()> work) {
    run_in_background([shared = shared_, turn = shared_->turns, work = std::move(work)]() mutable {
      {
        std::unique_lock lock(shared->mutex);
        shared->changed.wait(lock, [&] { return shared->turn == turn; });
      }
      work();
      work = nullptr;
      const std::lock_guard lock(shared->mutex);
      ++shared->turn;
      shared->changed.notify_all();
    });
    ++shared_->turns;
  }

  static void carry_out(Shared& shared, uint64_t attempt, const Make& make, const OnFailure& on_failure) {
    {
      const std::lock_guard lock(shared.mutex);
      if (shared.attempt != attempt) return;  // nobody wants it any more
    }
    std::unique_ptr<T> made;
    std::exception_ptr failure;
    try {
      made = make();
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::lock_guard lock(shared.mutex);
      if (shared.attempt != attempt) return;  // closed, or the next one has begun; `made` ends after the lock
      shared.object = std::move(made);
      shared.failure = failure;
    }
    if (failure && on_failure) on_failure(failure);
    const std::lock_guard lock(shared.mutex);
    if (shared.attempt != attempt) return;
    shared.is_opening = false;
    shared.changed.notify_all();
  }

  const std::shared_ptr<Shared> shared_;
};

}  // namespace texcast::gstreamer
