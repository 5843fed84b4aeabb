#include "compact/sub_block_index.h"

#include <algorithm>
#include <bit>

#include "base/ensure.h"

namespace texcast::compact {

namespace {

uint32_t blocks_of(const Component& component) {
  return static_cast<uint32_t>(component.blocks_x) * static_cast<uint32_t>(component.blocks_y);
}

}  // namespace

int SubBlockIndex::bucket_bits(const Component& component) {
  return std::clamp(static_cast<int>(std::bit_width(blocks_of(component))), 6, 18) - 1;
}

SubBlockIndex::SubBlockIndex(const Component& component) {
  const uint32_t blocks = blocks_of(component);
  const int bits = bucket_bits(component);
  shift_ = 64 - bits;
  columns_ = static_cast<uint32_t>(std::max(component.blocks_x, 1));
  ENSURE(blocks < 1u << kPositionBits);
  entries_.resize(size_t{1} << bits);
}

int sub_block_index_bits(const Component& component) { return SubBlockIndex::bucket_bits(component); }

}  // namespace texcast::compact
