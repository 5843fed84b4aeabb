// changes.h — the sub-blocks of a tile that differ from those of the previous frame. They are compared only once.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "compact/slice_syntax.h"
#include "compact/sub_block.h"

namespace texcast::compact {

// One component of a tile: bit x of rows[y] is set if the sub-block in column x and row y of the tile differs.
struct TileChanges {
  std::array<uint16_t, kMostSliceRows> rows{};
  bool any() const {
    uint16_t all = 0;
    for (const uint16_t row : rows) all |= row;
    return all != 0;
  }
};

// Every sub-block of a tile with these blocks.
inline TileChanges all_changed(const BlockRect& rect) {
  TileChanges all;
  for (int y = 0; y < rect.height(); ++y)
    all.rows[static_cast<size_t>(y)] = static_cast<uint16_t>((1u << rect.width()) - 1);
  return all;
}

// `rect` is the tile's. If `reference` is nullptr every sub-block differs.
inline TileChanges changes_of(const Component& component, const BlockRect& rect, const std::byte* texture,
                              const std::byte* reference) {
  TileChanges changes;
  const int width = rect.width();
  if (width <= 0) return changes;
  const size_t bytes = static_cast<size_t>(width - 1) * component.stride + 8;
  for (int y = rect.y0; y < rect.y1; ++y) {
    uint16_t& row = changes.rows[y - rect.y0];
    const size_t first = component.at(rect.x0, y);
    if (reference == nullptr) {
      row = static_cast<uint16_t>((1u << width) - 1);
    } else if (std::memcmp(texture + first, reference + first, bytes) != 0) {
      uint32_t bits = 0;
      for (int x = 0; x < width; ++x) {
        const size_t at = first + static_cast<size_t>(x) * component.stride;
        bits |= static_cast<uint32_t>(load_sub_block(texture + at) != load_sub_block(reference + at)) << x;
      }
      row = static_cast<uint16_t>(bits);
    }
  }
  return changes;
}

// Finds the changed sub-blocks of all components of a tile. If `may_have_changed` is false there are none. Returns
// whether there are any.
inline bool find_changes(const TileGrid& grid, uint32_t tile, const std::byte* texture, const std::byte* previous,
                         bool may_have_changed, TileChanges* changes) {
  bool has_changed = false;
  for (int i = 0; i < grid.component_count(); ++i) {
    const Component& component = grid.component(i);
    changes[i] = may_have_changed ? changes_of(component, grid.blocks(component, {.tile = tile}), texture, previous)
                                  : TileChanges{};
    has_changed = has_changed || changes[i].any();
  }
  return has_changed;
}

// Calls `call(i)` for each bit that is set, the lowest first.
template <typename Call>
void for_each_bit(uint32_t bits, const Call& call) {
  for (; bits != 0; bits &= bits - 1) call(__builtin_ctz(bits));
}

}  // namespace texcast::compact
