#include "stream/frame_pool.h"

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

FrameRef FramePool::acquire(size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto slot = std::find_if(slots_.begin(), slots_.end(), [](const Slot& s) { return s.shares == 0; });
  if (slot == slots_.end()) {
    if (slots_.size() == most_frames_) return {};
    slots_.push_back({std::make_unique<PooledFrame>(), 0});
    slot = slots_.end() - 1;
  }
  slot->shares = 1;
  slot->frame->blocks.resize(bytes);
  return FrameRef(this, static_cast<size_t>(slot - slots_.begin()), slot->frame.get());
}

void FramePool::add_share(size_t index) {
  const std::lock_guard lock(mutex_);
  ++slots_[index].shares;
}

void FramePool::drop_share(size_t index) {
  const std::lock_guard lock(mutex_);
  --slots_[index].shares;
}

}  // namespace texcast::stream
