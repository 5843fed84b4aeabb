#include "textures/block_pool.h"

#include <algorithm>

#include "base/ensure.h"

namespace texcast::stream {

FrameRef::FrameRef(const FrameRef& other) : pool_(other.pool_), index_(other.index_), frame_(other.frame_) {
  if (pool_ != nullptr) pool_->add_share(index_);
}

FrameRef::~FrameRef() {
  if (pool_ != nullptr) pool_->drop_share(index_);
}

PooledFrame& FrameRef::operator*() const {
  ENSURE(pool_ != nullptr);
  return *frame_;
}

// Requires the lock.
std::optional<transport::LentMemory> BlockPool::take(size_t bytes) {
  size_t in_use = 0, bytes_in_use = 0;
  for (const Slot& slot : slots_) {
    if (slot.shares == 0) continue;
    ++in_use;
    bytes_in_use += slot.bytes;
  }
  if (in_use == most_frames_ || bytes > most_bytes_ - std::min(most_bytes_, bytes_in_use)) return std::nullopt;
  const auto lent = memory_.lend(bytes);
  if (!lent) return std::nullopt;
  if (lent->place == slots_.size()) slots_.push_back({.frame = std::make_unique<PooledFrame>()});
  Slot& slot = slots_[lent->place];
  slot.shares = 1;
  slot.bytes = lent->bytes.size();
  PooledFrame& frame = *slot.frame;
  // A frame's blocks remain as described if nobody has used the memory since.
  const bool is_held = !lent->is_new && frame.blocks.data() == lent->bytes.data() && frame.blocks.size() == bytes;
  frame.held_sequence_ = is_held ? frame.sequence_ : 0;
  frame.held_number_ = is_held ? frame.number_in_sequence_ : 0;
  frame.blocks = lent->bytes.first(bytes);
  frame.id = 0;
  frame.is_lossy = false;
  frame.has_transform = false;
  frame.payloads.clear();
  frame.needs_id = 0;
  frame.wants_samples.reset();
  frame.samples = {};  // few frames have them, so that their memory is not kept
  frame.tell_changes({});
  frame.ready_bytes.store(0, std::memory_order_relaxed);
  return lent;
}

FrameRef BlockPool::acquire(size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto lent = take(bytes);
  return lent ? FrameRef(this, lent->place, slots_[lent->place].frame.get()) : FrameRef();
}

FrameRef BlockPool::share(size_t place) {
  const std::lock_guard lock(mutex_);
  ENSURE(slots_[place].shares > 0);
  ++slots_[place].shares;
  return FrameRef(this, place, slots_[place].frame.get());
}

std::optional<transport::LentMemory> BlockPool::lend(size_t bytes) {
  const std::lock_guard lock(mutex_);
  return take(bytes);
}

void BlockPool::add_share(size_t index) {
  const std::lock_guard lock(mutex_);
  ++slots_[index].shares;
}

void BlockPool::drop_share(size_t index) {
  const std::lock_guard lock(mutex_);
  if (--slots_[index].shares == 0) memory_.take_back(index);
}

}  // namespace texcast::stream
