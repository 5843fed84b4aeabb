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
}

}  // namespace texcast::compact
