#include "transport/frame_store.h"

namespace texcast::transport {

bool HeapFrameStore::fits(size_t memory_bytes, size_t bytes) {
  constexpr size_t kSlack = size_t{1} << 20;
  return memory_bytes >= bytes && memory_bytes <= 4 * bytes + kSlack;
}

std::optional<LentMemory> HeapFrameStore::lend(size_t bytes) {
  Block* best = nullptr;
  for (Block& block : blocks_)
    if (!block.lent && fits(block.bytes, bytes) && (!best || block.used > best->used)) best = &block;
  const bool is_new = best == nullptr;
  if (is_new) {
    for (Block& block : blocks_) {
      if (block.lent) continue;
      block = {};
      best = &block;
    }
    if (!best) best = &blocks_.emplace_back();
    // Not zeroed: missing bytes are concealed before the frame is delivered, and untouched pages cost no memory.
    best->memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
    best->bytes = bytes;
  }
  best->lent = true;
  return LentMemory{.bytes = {best->memory.get(), best->bytes},
                    .place = static_cast<size_t>(best - blocks_.data()),
                    .is_new = is_new};
}

void HeapFrameStore::take_back(size_t place) {
  blocks_[place].lent = false;
  blocks_[place].used = ++uses_;
}

}  // namespace texcast::transport
