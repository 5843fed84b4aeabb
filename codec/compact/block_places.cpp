#include "block_places.h"

#include <algorithm>
#include <bit>

#include "base/ensure.h"

namespace texcast::compact {

BlockPlaces::BlockPlaces(const Component& component) {
  const auto blocks = static_cast<uint32_t>(component.blocks_x) * static_cast<uint32_t>(component.blocks_y);
  const int bits = std::clamp(static_cast<int>(std::bit_width(blocks)), 6, 18) - 1;
  shift_ = 64 - bits;
  columns_ = static_cast<uint32_t>(std::max(component.blocks_x, 1));
  ENSURE(blocks < 1u << kPlaceBits);
  entries_.resize(size_t{1} << bits);
  next_.resize(entries_.size());
}

void BlockPlaces::add(uint64_t half, int x, int y) {
  const uint64_t hash = hash_of(half);
  const size_t b = hash >> shift_;
  const uint32_t entry = tag_of(hash) << kPlaceBits | (static_cast<uint32_t>(y) * columns_ + static_cast<uint32_t>(x));
  if (std::ranges::find(entries_[b], entry) != entries_[b].end()) return;
  entries_[b][next_[b]] = entry;
  next_[b] = static_cast<uint8_t>((next_[b] + 1) % kWays);
}

}  // namespace texcast::compact
