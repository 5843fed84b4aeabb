#include "base/work_ahead.h"

namespace texcast {

WorkAhead::WorkAhead(int threads)
    : places_(threads > 0 ? std::make_unique<Place[]>(kRoom) : nullptr), threads_(threads, [this] { serve(); }) {}

WorkAhead::~WorkAhead() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  more_.notify_all();
}

WorkAhead::Ticket WorkAhead::post_call(const Call& call) {
  if (threads_.count() == 0) {
    call.function(call.object, call.index);
    return 0;
  }
  const Ticket ticket = posted_.load(std::memory_order_relaxed);
  need(ticket - kRoom);  // the piece that had this place; before the first round there was none, which counts as done
  place(ticket).call = call;
  posted_.store(ticket + 1);
  if (sleeping_.load() > 0) wake_one();
  return ticket;
}

// A thread counts itself as sleeping before it checks for work a last time, and a piece is posted before the number of
// sleeping threads is read: one of the two sees the other. The lock keeps the notification from falling between that
// check and the thread's sleep.
void WorkAhead::wake_one() {
  { const std::lock_guard lock(mutex_); }
  more_.notify_one();
}

bool WorkAhead::take_one() {
  Ticket ticket = begun_.load();
  do
    if (static_cast<int32_t>(posted_.load() - ticket) <= 0) return false;
  while (!begun_.compare_exchange_weak(ticket, ticket + 1));
  Place& mine = place(ticket);
  mine.call.function(mine.call.object, mine.call.index);
  mine.done.store(ticket + 1, std::memory_order_release);
  mine.done.notify_all();
  return true;
}

void WorkAhead::need(Ticket ticket) {
  if (threads_.count() == 0) return;
  while (!is_done(ticket))
    if (!take_one()) wait_for(ticket);
}

void WorkAhead::finish() {
  if (threads_.count() == 0) return;
  const Ticket posted = posted_.load(std::memory_order_relaxed);
  while (take_one()) {
  }
  if (posted - finished_ > kRoom) finished_ = posted - kRoom;
  for (; finished_ != posted; ++finished_) wait_for(finished_);
}

void WorkAhead::wait_for(Ticket ticket) const {
  if (threads_.count() == 0) return;
  const std::atomic<Ticket>& done = place(ticket).done;
  for (Ticket seen = done.load(std::memory_order_acquire); static_cast<int32_t>(seen - ticket) <= 0;
       seen = done.load(std::memory_order_acquire))
    done.wait(seen, std::memory_order_acquire);
}

void WorkAhead::serve() {
  while (true) {
    while (take_one()) {
    }
    std::unique_lock lock(mutex_);
    ++sleeping_;
    more_.wait(lock, [this] { return ending_ || static_cast<int32_t>(posted_.load() - begun_.load()) > 0; });
    --sleeping_;
    if (ending_) return;
  }
}

}  // namespace texcast
