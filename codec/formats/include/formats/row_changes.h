// row_changes.h — when each row of a picture's tiles changed last. It accompanies pictures of a sequence, so that a
// consumer that still has an earlier one copies only what differs, whichever pictures it missed.
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

// Borrowed. If `sequence` is 0 nothing is known about the picture.
struct RowChanges {
  uint64_t sequence = 0;  // identifies pictures of one TextureDesc, each of which is derived from the previous one
  uint64_t number = 0;    // of this picture: larger than that of any earlier one in the sequence
  std::span<const uint64_t> changed_in{};  // for each row of tiles, the number of the picture in which it changed last

  // Whether this tells how the picture differs from that one: both are of the same sequence, and that one is not later.
  bool know_since(uint64_t other_sequence, uint64_t other_number) const {
    return sequence != 0 && sequence == other_sequence && number >= other_number;
  }
  // Whether the pictures differ at all. Only if know_since() is true.
  bool any_since(uint64_t other_number) const {
    return std::ranges::any_of(changed_in, [&](uint64_t changed) { return changed > other_number; });
  }
};

// A number that no other sequence of this process has; not 0.
uint64_t new_sequence();

// Calls call(first, end) for each range of rows of a plane's blocks, within [first, end), that changed after picture
// `since`. A row of blocks may span two rows of tiles, and the last one may reach beyond them.
template <typename Call>
void for_each_changed(const RowChanges& changes, uint64_t since, const FormatPlane& plane, const PlaneLayout& layout,
                      size_t first, size_t end, const Call& call) {
  const auto texels = static_cast<size_t>(plane.down * layout.block_height);  // the picture's texels in a row of blocks
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
