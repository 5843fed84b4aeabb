// sub_block_index.h — where a frame has a half-block of given bytes: a few places each. Text that scrolls or is written
// anew is made of half-blocks that were on the screen before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "compact/prediction.h"

namespace texcast::compact {

// A table of buckets by hash, and in each a slot for every way, which a place's column and row tell: what is found does
// not depend on the order in which several threads, or a GPU, put places down.
// Places may be out of date: who asks looks whether the half-block is there still.
class SubBlockIndex {
 public:
  static constexpr int kWays = 8;
  static int way_of(int x, int y) { return (x ^ 3 * y) & (kWays - 1); }

  SubBlockIndex() = default;
  explicit SubBlockIndex(const Component& component);
  // Takes its slot. A frame's places of one way are put down row by row, so that the last of a slot stays; those of
  // different ways may be so by several threads at a time.
  void put(uint64_t half, int x, int y) {
    const uint64_t hash = hash_of(half);
    const uint32_t place = static_cast<uint32_t>(y) * columns_ + static_cast<uint32_t>(x);
    entries_[hash >> shift_][way_of(x, y)] = place << kTagBits | tag_of(hash);
  }
  // All slots, bucket by bucket; 2^bucket_bits() buckets.
  std::span<const uint32_t> entries() const {
    return {reinterpret_cast<const uint32_t*>(entries_.data()), entries_.size() * kWays};
  }
  static int bucket_bits(const Component& component);
  // That it will be asked for soon.
  void prefetch(uint64_t half) const { __builtin_prefetch(&entries_[hash_of(half) >> shift_]); }
  // Calls `call(x, y)` for where it may be, way by way.
  template <typename Call>
  void find(uint64_t half, const Call& call) const {
    const uint64_t hash = hash_of(half);
    const uint32_t tag = tag_of(hash);
    for (const uint32_t entry : entries_[hash >> shift_]) {
      if ((entry & ((1u << kTagBits) - 1)) != tag) continue;
      const uint32_t place = entry >> kTagBits;
      call(static_cast<int>(place % columns_), static_cast<int>(place / columns_));
    }
  }

 private:
  // A place is its number in the component, counted row by row: of two entries the larger one is that of the later
  // place. Below it part of the hash, so that hardly any half-block is looked at in vain; of no place it is 0.
  static constexpr int kTagBits = 6, kPlaceBits = 32 - kTagBits;
  static uint64_t hash_of(uint64_t half) { return half * 0x9E3779B97F4A7C15u; }
  static uint32_t tag_of(uint64_t hash) { return std::max(static_cast<uint32_t>(hash >> 32 & 63), 1u); }

  int shift_ = 63;
  uint32_t columns_ = 1;
  struct alignas(32) Bucket : std::array<uint32_t, kWays> {};  // half a line of cache
  std::vector<Bucket> entries_;
};

// Where the frame before has which half-block: 2^bits buckets of eight, by the upper bits of a hash
// (sub_block_index.h).
int places_bits(const Component& component);

}  // namespace texcast::compact
