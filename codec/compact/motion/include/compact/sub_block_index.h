// sub_block_index.h — a hash table with up to 8 positions of each sub-block of a frame. Text that scrolls or is drawn
// again consists of sub-blocks that were on the screen before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "compact/prediction.h"

namespace texcast::compact {

// A hash selects a bucket, and the column and row of a position select one of its slots (the way). The content
// therefore does not depend on the order in which several threads, or a GPU, insert positions. Entries may be stale:
// callers check whether the sub-block is still there.
class SubBlockIndex {
 public:
  static constexpr int kWays = 8;
  static int way_of(int x, int y) { return (x ^ 3 * y) & (kWays - 1); }

  SubBlockIndex() = default;
  explicit SubBlockIndex(const Component& component);
  // Overwrites the slot. A frame's positions of one way are inserted row by row, so that the last one of each slot
  // remains. Different ways may be inserted by several threads concurrently.
  void put(uint64_t sub_block, int x, int y) {
    const uint64_t hash = hash_of(sub_block);
    const uint32_t position = static_cast<uint32_t>(y) * columns_ + static_cast<uint32_t>(x);
    entries_[hash >> shift_][way_of(x, y)] = position << kTagBits | tag_of(hash);
  }
  // All slots, bucket by bucket; 2^bucket_bits() buckets.
  std::span<const uint32_t> entries() const {
    return {reinterpret_cast<const uint32_t*>(entries_.data()), entries_.size() * kWays};
  }
  static int bucket_bits(const Component& component);
  // Call it some time before find().
  void prefetch(uint64_t sub_block) const { __builtin_prefetch(&entries_[hash_of(sub_block) >> shift_]); }
  // Calls `call(x, y)` for each position where the sub-block may be, way by way.
  template <typename Call>
  void find(uint64_t sub_block, const Call& call) const {
    const uint64_t hash = hash_of(sub_block);
    const uint32_t tag = tag_of(hash);
    for (const uint32_t entry : entries_[hash >> shift_]) {
      if ((entry & ((1u << kTagBits) - 1)) != tag) continue;
      const uint32_t position = entry >> kTagBits;
      call(static_cast<int>(position % columns_), static_cast<int>(position / columns_));
    }
  }

 private:
  // An entry has the number of the sub-block in its component, counted row by row, so that later positions have larger
  // entries. The low bits are a part of the hash (the tag), which avoids most useless comparisons. Empty slots are 0,
  // which is no tag.
  static constexpr int kTagBits = 6, kPositionBits = 32 - kTagBits;
  static uint64_t hash_of(uint64_t sub_block) { return sub_block * 0x9E3779B97F4A7C15u; }
  static uint32_t tag_of(uint64_t hash) { return std::max(static_cast<uint32_t>(hash >> 32 & 63), 1u); }

  int shift_ = 63;
  uint32_t columns_ = 1;
  struct alignas(32) Bucket : std::array<uint32_t, kWays> {};  // half a cache line
  std::vector<Bucket> entries_;
};

// SubBlockIndex::bucket_bits(), for kernels.
int sub_block_index_bits(const Component& component);

}  // namespace texcast::compact
