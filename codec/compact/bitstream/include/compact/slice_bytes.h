// slice_bytes.h — copies and compares the sub-blocks of a slice in textures, and writes raw slices.
#pragma once

#include <cstring>

#include "base/bytes.h"
#include "compact/sub_block.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

inline void copy_slice(const TileGrid& grid, const Slice& slice, const std::byte* from, std::byte* to) {
  for (int i = 0; i < grid.component_count(); ++i) {
    const Component& component = grid.component(i);
    const BlockRect rect = grid.blocks(component, slice);
    for (int y = rect.y0; y < rect.y1; ++y) {
      if (component.stride == 8) {
        const size_t at = component.at(rect.x0, y);
        std::memcpy(to + at, from + at, static_cast<size_t>(rect.width()) * 8);
      } else {
        for (int x = rect.x0; x < rect.x1; ++x)
          store_sub_block(to + component.at(x, y), load_sub_block(from + component.at(x, y)));
      }
    }
  }
}

inline bool differs(const TileGrid& grid, const Slice& slice, const std::byte* a, const std::byte* b) {
  for (int i = 0; i < grid.component_count(); ++i) {
    const Component& component = grid.component(i);
    const BlockRect rect = grid.blocks(component, slice);
    if (rect.count() == 0) continue;
    const size_t bytes = static_cast<size_t>(rect.width() - 1) * component.stride + 8;
    for (int y = rect.y0; y < rect.y1; ++y) {
      const size_t at = component.at(rect.x0, y);
      if (std::memcmp(a + at, b + at, bytes) != 0) return true;
    }
  }
  return false;
}

inline size_t write_raw(const TileGrid& grid, const Slice& slice, const std::byte* texture, MutableBytes memory) {
  size_t used = 0;
  grid.for_each_sub_block(slice, [&](size_t at) {
    store_sub_block(memory.data() + used, load_sub_block(texture + at));
    used += 8;
  });
  return used;
}
// `memory` has the bytes that write_raw() wrote.
inline void read_raw(const TileGrid& grid, const Slice& slice, Bytes memory, std::byte* texture) {
  size_t used = 0;
  grid.for_each_sub_block(slice, [&](size_t at) {
    store_sub_block(texture + at, load_sub_block(memory.data() + used));
    used += 8;
  });
}

}  // namespace texcast::compact
