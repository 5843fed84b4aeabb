#include "control/inbox.h"

#include <utility>

namespace texcast::control {

void Inbox::put(Request request, Reply reply) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;  // the destructor of the reply answers
  waiting_.push_back({std::move(request), std::move(reply)});
  something_ = true;
}

std::vector<Inbox::Waiting> Inbox::take() {
  const std::lock_guard lock(mutex_);
  something_ = false;
  return std::exchange(waiting_, {});
}

void Inbox::obey(const Dispatcher& dispatcher) {
  if (!something_.load(std::memory_order_relaxed)) return;
  for (Waiting& one : take()) dispatcher.obey(one.request, std::move(one.reply));
}

void Inbox::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  take();
}

}  // namespace texcast::control
