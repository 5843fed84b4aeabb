#include "stream/mailbox.h"

#include <algorithm>

namespace texcast::stream {

FrameRef Mailbox::pop() {
  FrameRef oldest = std::move(place(0).frame);
  first_ = (first_ + 1) % kPlaces;
  --waiting_;
  return oldest;
}

void Mailbox::put(FrameRef frame, SteadyTime due) {
  {
    std::unique_lock lock(mutex_);
    if (delivery_ == Delivery::every_frame) changed_.wait(lock, [this] { return waiting_ == 0 || closed_; });
    if (closed_) return;
    if (waiting_ == kPlaces) {
      pop();
      ++crowded_out_;
    }
    place(waiting_++) = {std::move(frame), due};
    // A frame that is already overtaken is dropped now, so that its memory is free for others.
    for (const SteadyTime now = clock_.now(); waiting_ > 1 && place(1).due <= now; ++overtaken_) pop();
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

void Mailbox::retime(nanoseconds by) {
  if (by == nanoseconds::zero()) return;
  {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < waiting_; ++i) place(i).due += by;
  }
  changed_.notify_all();
}

void Mailbox::nudge() {
  {
    const std::lock_guard lock(mutex_);
    nudged_ = true;
  }
  changed_.notify_all();
}

FrameRef Mailbox::next() const {
  const std::lock_guard lock(mutex_);
  return waiting_ > 0 ? places_[first_].frame : FrameRef();
}

FrameRef Mailbox::take(SteadyTime now) {
  FrameRef taken;
  {
    const std::lock_guard lock(mutex_);
    size_t due = waiting_;  // number of frames up to the newest one that is due
    while (due > 0 && place(due - 1).due > now) --due;
    for (; due > 0; --due) {
      if (taken) ++overtaken_;
      taken = pop();
    }
  }
  if (taken) changed_.notify_all();
  return taken;
}

void Mailbox::wait_until(SteadyTime limit, const player::SwapGrid& swaps) {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    SteadyTime next = limit;
    for (size_t i = 0; i < waiting_; ++i) next = std::min(next, swaps.draw_from(place(i).due));
    if (std::exchange(nudged_, false) || clock_.now() >= next) return;
    clock_.wait_until(changed_, lock, next);
  }
}

bool Mailbox::empty() const {
  const std::lock_guard lock(mutex_);
  return waiting_ == 0;
}

uint64_t Mailbox::overtaken() const {
  const std::lock_guard lock(mutex_);
  return overtaken_;
}

uint64_t Mailbox::crowded_out() const {
  const std::lock_guard lock(mutex_);
  return crowded_out_;
}

}  // namespace texcast::stream
