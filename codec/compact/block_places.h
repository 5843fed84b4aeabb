// block_places.h — where a frame has a half-block of given bytes: a few places each, the latest found. Text that
// scrolls or is written anew is made of half-blocks that were on the screen before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "prediction.h"

namespace texcast::compact {

// Places may be out of date: who asks looks whether the half-block is there still.
class BlockPlaces {
 public:
  static constexpr int kWays = 8;

  BlockPlaces() = default;
  explicit BlockPlaces(const Component& component);
  void add(uint64_t half, int x, int y);
  // That it will be asked for soon.
  void prefetch(uint64_t half) const { __builtin_prefetch(&entries_[hash_of(half) >> shift_]); }
  // Calls `call(x, y)` for where it may be.
  template <typename Call>
  void find(uint64_t half, const Call& call) const {
    const uint64_t hash = hash_of(half);
    const uint32_t tag = tag_of(hash);
    for (const uint32_t entry : entries_[hash >> shift_]) {
      if (entry >> kPlaceBits != tag) continue;
      const uint32_t place = entry & ((1u << kPlaceBits) - 1);
      call(static_cast<int>(place % columns_), static_cast<int>(place / columns_));
    }
  }

 private:
  // A place is its number in the component, counted row by row; above it part of the hash, so that hardly any
  // half-block is looked at in vain. A tag of 0 has no place.
  static constexpr int kPlaceBits = 26;
  static uint64_t hash_of(uint64_t half) { return half * 0x9E3779B97F4A7C15u; }
  static uint32_t tag_of(uint64_t hash) { return std::max(static_cast<uint32_t>(hash >> 32 & 63), 1u); }

  int shift_ = 63;
  uint32_t columns_ = 1;
  struct alignas(32) Bucket : std::array<uint32_t, kWays> {};  // half a line of cache
  std::vector<Bucket> entries_;
  std::vector<uint8_t> next_;  // to be replaced
};

}  // namespace texcast::compact
