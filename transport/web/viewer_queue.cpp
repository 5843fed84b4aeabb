#include "viewer_queue.h"

#include <algorithm>
#include <utility>

#include "base/ensure.h"

namespace texcast::web {

bool ViewerQueue::drop(const Message& message) {
  dropped_datagrams_ += message.datagrams;
  dropped_bytes_ += message.size();
  return false;
}

bool ViewerQueue::push(SharedMessage message, size_t limit_bytes, SteadyTime now) {
  const size_t size = message->size();
  switch (message->kind) {
    case Message::Kind::sound:
      if (sound_bytes_ + size > kMostSoundBytes) return drop(*message);
      sound_bytes_ += size;
      sound_.push_back({.message = std::move(message), .since = now});
      return true;
    case Message::Kind::picture:
      // A message that is larger than the limit by itself may wait alone.
      dropping_ = dropping_ || (bytes_ > 0 && bytes_ + size > limit_bytes) ||
                  (!ordered_.empty() && now - ordered_.front().since > kLongestWait);
      if (dropping_ || congested_) return drop(*message);
      break;
    case Message::Kind::text: break;
  }
  bytes_ += size;
  ordered_.push_back({.message = std::move(message), .since = now});
  return true;
}

bool ViewerQueue::sound_first() const {
  return !sound_.empty() && (ordered_.empty() || ordered_.front().message->kind != Message::Kind::text);
}

const SharedMessage& ViewerQueue::front() const {
  static const SharedMessage none;
  if (empty()) return none;
  return (sound_first() ? sound_ : ordered_).front().message;
}

void ViewerQueue::pop() {
  ENSURE(!empty());
  if (sound_first()) {
    sound_bytes_ -= sound_.front().message->size();
    sound_.pop_front();
  } else {
    bytes_ -= ordered_.front().message->size();
    ordered_.pop_front();
  }
  if (empty()) dropping_ = false;
}

void ViewerQueue::clear_stream() {
  for (const Waiting& one : sound_) drop(*one.message);
  sound_.clear();
  sound_bytes_ = 0;
  std::erase_if(ordered_, [this](const Waiting& one) {
    if (one.message->kind == Message::Kind::text) return false;
    bytes_ -= one.message->size();
    drop(*one.message);
    return true;
  });
  dropping_ = false;
}

void QueueLimit::add(size_t bytes, SteadyTime now) {
  const int64_t slot = now.time_since_epoch() / kSlot;
  if (slot - current_ >= static_cast<int64_t>(kSlots)) slots_.fill(0);
  for (int64_t i = std::max(current_ + 1, slot - static_cast<int64_t>(kSlots) + 1); i <= slot; ++i)
    slots_[static_cast<size_t>(i) % kSlots] = 0;
  current_ = std::max(current_, slot);
  slots_[static_cast<size_t>(current_) % kSlots] += bytes;
  update();
}

void QueueLimit::update() {
  size_t most = 0;
  for (size_t age = 0; age + 1 < kSlots; ++age) {
    const auto at = static_cast<size_t>(current_ - static_cast<int64_t>(age) + static_cast<int64_t>(kSlots)) % kSlots;
    most = std::max(most, slots_[at] + slots_[(at + kSlots - 1) % kSlots]);
  }
  limit_ = std::clamp(most, least_, most_);
}

}  // namespace texcast::web
