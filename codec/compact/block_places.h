// block_places.h — where a frame has a half-block of given bytes: a few places each, the latest found. Text that
// scrolls or is written anew is made of half-blocks that were on the screen before.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "prediction.h"

namespace texcast::compact {

// Places may be out of date: who asks looks whether the half-block is there still.
class BlockPlaces {
 public:
  static constexpr int kWays = 8;
  using Places = std::array<uint32_t, kWays>;  // y << 16 | x, in blocks; kNowhere where there are fewer

  static constexpr uint32_t kNowhere = ~0u;

  BlockPlaces() = default;
  explicit BlockPlaces(const Component& component);
  void add(uint64_t half, int x, int y);
  const Places& find(uint64_t half) const { return places_[bucket(half)]; }

 private:
  size_t bucket(uint64_t half) const { return static_cast<size_t>((half * 0x9E3779B97F4A7C15u) >> shift_); }
  int shift_ = 63;
  std::vector<Places> places_;
  std::vector<uint8_t> next_;  // to be replaced
};

}  // namespace texcast::compact
