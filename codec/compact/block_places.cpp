#include "block_places.h"

#include <algorithm>
#include <bit>

namespace texcast::compact {

BlockPlaces::BlockPlaces(const Component& component) {
  const auto blocks = static_cast<uint32_t>(component.blocks_x) * static_cast<uint32_t>(component.blocks_y);
  const int bits = std::clamp(static_cast<int>(std::bit_width(blocks)), 6, 18) - 1;
  shift_ = 64 - bits;
  places_.resize(size_t{1} << bits);
  for (auto& places : places_) places.fill(kNowhere);
  next_.resize(places_.size());
}

void BlockPlaces::add(uint64_t half, int x, int y) {
  const size_t b = bucket(half);
  const uint32_t place = static_cast<uint32_t>(y) << 16 | static_cast<uint32_t>(x);
  if (std::ranges::find(places_[b], place) != places_[b].end()) return;
  places_[b][next_[b]] = place;
  next_[b] = static_cast<uint8_t>((next_[b] + 1) % kWays);
}

}  // namespace texcast::compact
