// row_changes.h — when the rows of a picture's tiles changed last: told with pictures that are made one from the other,
// so that whoever still has an earlier one takes only what differs, whatever was left out in between.
//
// Thread-safe: values and functions only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "texcast/format.h"
#include "texcast/tiles.h"

namespace texcast {

// Borrowed. Nothing is known of a picture where `sequence` is 0.
struct RowChanges {
  uint64_t sequence = 0;                   // of pictures of one TextureDesc, each made from the one before
  uint64_t number = 0;                     // of this picture: larger than those of all before it in the sequence
  std::span<const uint64_t> changed_in{};  // each row of tiles: the number of the picture in which it last changed

  // Whether this tells how the picture differs from that one: it is of the sequence, and no later one.
  bool know_since(uint64_t other_sequence, uint64_t other_number) const {
    return sequence != 0 && sequence == other_sequence && number >= other_number;
  }
  // Whether it differs at all. Only where know_since() is true.
  bool any_since(uint64_t other_number) const {
    return std::ranges::any_of(changed_in, [&](uint64_t changed) { return changed > other_number; });
  }
};

// That no other sequence of this process has; not 0.
uint64_t new_sequence();

// call(first, end) for each run of rows of a plane's blocks, within [first, end), that changed after picture `since`. A
// row of blocks may lie in two rows of tiles, or its last one reach beyond them.
template <typename Call>
void for_each_changed(const RowChanges& changes, uint64_t since, const FormatPlane& plane, const PlaneLayout& layout,
                      size_t first, size_t end, const Call& call) {
  const auto texels = static_cast<size_t>(plane.down * layout.block_height);  // of the picture, that a row has
  const auto tile_row = [&](size_t texel) {
    return std::min(texel / static_cast<size_t>(kTileHeight), changes.changed_in.size() - 1);
  };
  const auto changed = [&](size_t row) {
    const size_t top = tile_row(row * texels), bottom = tile_row((row + 1) * texels - 1);
    const auto own = changes.changed_in.subspan(top, bottom - top + 1);
    return std::ranges::any_of(own, [&](uint64_t number) { return number > since; });
  };
  for (size_t row = first; row < end;) {
    const size_t begin = row;
    const bool wanted = changed(begin);
    while (row < end && changed(row) == wanted) ++row;
    if (wanted) call(begin, row);
  }
}

}  // namespace texcast
