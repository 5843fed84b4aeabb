#include "stream/block_pool.h"

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

// With the lock held. Memory that fits is used again; where none does, the frames' size has changed, so all that is
// free is let go.
std::optional<size_t> BlockPool::take(size_t bytes) {
  const auto free = [](const Slot& s) { return s.shares == 0; };
  const auto fits = [&](const Slot& s) { return free(s) && transport::HeapFrameStore::fits(s.bytes, bytes); };
  auto slot = std::ranges::find_if(slots_, fits);
  if (slot == slots_.end()) {
    for (Slot& other : slots_) {
      if (!free(other)) continue;
      other.memory.reset();
      other.bytes = 0;
    }
    slot = std::ranges::find_if(slots_, free);
    if (slot == slots_.end()) {
      if (slots_.size() == most_frames_) return std::nullopt;
      slots_.push_back({.frame = std::make_unique<PooledFrame>()});
      slot = slots_.end() - 1;
    }
    // Not zeroed: what no packet writes is filled when the frame is whole, and untouched pages cost no memory.
    slot->memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
    slot->bytes = bytes;
  }
  slot->shares = 1;
  slot->frame->blocks = {slot->memory.get(), bytes};
  slot->frame->id = 0;
  slot->frame->ready_bytes.store(0, std::memory_order_relaxed);
  return static_cast<size_t>(slot - slots_.begin());
}

FrameRef BlockPool::acquire(size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto index = take(bytes);
  return index ? FrameRef(this, *index, slots_[*index].frame.get()) : FrameRef();
}

FrameRef BlockPool::share(size_t place) {
  const std::lock_guard lock(mutex_);
  ENSURE(slots_[place].shares > 0);
  ++slots_[place].shares;
  return FrameRef(this, place, slots_[place].frame.get());
}

std::optional<transport::LentMemory> BlockPool::lend(size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto index = take(bytes);
  if (!index) return std::nullopt;
  return transport::LentMemory{.bytes = {slots_[*index].memory.get(), slots_[*index].bytes}, .place = *index};
}

void BlockPool::add_share(size_t index) {
  const std::lock_guard lock(mutex_);
  ++slots_[index].shares;
}

void BlockPool::drop_share(size_t index) {
  const std::lock_guard lock(mutex_);
  --slots_[index].shares;
}

}  // namespace texcast::stream
