#include "stream/mailbox.h"

namespace texcast::stream {

void Mailbox::put(FrameRef frame) {
  FrameRef old;  // dropped after the lock is: giving a frame back takes the pool's own
  {
    std::unique_lock lock(mutex_);
    if (delivery_ == Delivery::every_frame) changed_.wait(lock, [this] { return !waiting_ || closed_; });
    if (closed_) return;
    if (waiting_) ++replaced_;
    old = std::exchange(waiting_, std::move(frame));
  }
  changed_.notify_all();
}

void Mailbox::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

FrameRef Mailbox::take() {
  FrameRef taken;
  {
    const std::lock_guard lock(mutex_);
    taken = std::move(waiting_);
  }
  if (taken) changed_.notify_all();
  return taken;
}

void Mailbox::wait_until(SteadyTime limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, std::chrono::steady_clock::time_point(limit), [this] { return waiting_ || closed_; });
}

bool Mailbox::empty() const {
  const std::lock_guard lock(mutex_);
  return !waiting_;
}

uint64_t Mailbox::replaced() const {
  const std::lock_guard lock(mutex_);
  return replaced_;
}

}  // namespace texcast::stream
