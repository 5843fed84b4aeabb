// changes.h — which half-blocks of a tile differ from those of the frame before: compared once, asked for often.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "compact/slice_syntax.h"
#include "compact/sub_block.h"

namespace texcast::compact {

// Of one component's half-blocks in a tile: bit x of rows[y] is that of the one in column x and row y of the tile.
struct TileChanges {
  std::array<uint16_t, kMostSliceRows> rows{};
  bool any() const {
    uint16_t all = 0;
    for (const uint16_t row : rows) all |= row;
    return all != 0;
  }
};

// Every sub-block of a tile with these blocks.
inline TileChanges all_of(const BlockRect& rect) {
  TileChanges all;
  for (int y = 0; y < rect.height(); ++y)
    all.rows[static_cast<size_t>(y)] = static_cast<uint16_t>((1u << rect.width()) - 1);
  return all;
}

// `rect`: the tile's. `before`: the frame before; nullptr: there is none, and every half-block is new.
inline TileChanges changes_of(const Component& component, const BlockRect& rect, const std::byte* texture,
                              const std::byte* before) {
  TileChanges changes;
  const int width = rect.width();
  if (width <= 0) return changes;
  const size_t bytes = static_cast<size_t>(width - 1) * component.stride + 8;
  for (int y = rect.y0; y < rect.y1; ++y) {
    uint16_t& row = changes.rows[y - rect.y0];
    const size_t first = component.at(rect.x0, y);
    if (before == nullptr) {
      row = static_cast<uint16_t>((1u << width) - 1);
    } else if (std::memcmp(texture + first, before + first, bytes) != 0) {
      uint32_t bits = 0;
      for (int x = 0; x < width; ++x) {
        const size_t at = first + static_cast<size_t>(x) * component.stride;
        bits |= static_cast<uint32_t>(load_sub_block(texture + at) != load_sub_block(before + at)) << x;
      }
      row = static_cast<uint16_t>(bits);
    }
  }
  return changes;
}

// Calls `call(i)` for each bit that is set, the lowest first.
template <typename Call>
void for_each_bit(uint32_t bits, const Call& call) {
  for (; bits != 0; bits &= bits - 1) call(__builtin_ctz(bits));
}

}  // namespace texcast::compact
