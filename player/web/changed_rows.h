// changed_rows.h — the rows of blocks that differ between a texture and an earlier one of its sequence.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/row_changes.h"
#include "texcast/format.h"

namespace texcast::player {

// A picture of a sequence of RowChanges that someone has; nothing: no picture.
struct HeldPicture {
  uint64_t sequence = 0, number = 0;
};

// Calls call(plane, first row of blocks, end, first byte in the texture, bytes) for the rows that changed since `held`,
// and for all rows if that is not known.
template <typename Call>
void for_each_changed_rows(const TextureDesc& texture, const RowChanges& changes, const HeldPicture& held,
                           const Call& call) {
  const TextureLayout layout = texture_layout(texture);
  const bool is_whole = !changes.know_since(held.sequence, held.number);
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p) {
    const PlaneLayout& plane = layout.planes[p];
    const auto rows = static_cast<size_t>(plane.blocks_y);
    const size_t row_bytes = plane.bytes / rows;
    const auto pass_on = [&](size_t first, size_t end) {
      call(p, first, end, plane.offset + first * row_bytes, (end - first) * row_bytes);
    };
    if (is_whole)
      pass_on(0, rows);
    else
      for_each_changed(changes, held.number, format_row(texture.format).planes[p], plane, 0, rows, pass_on);
  }
}

}  // namespace texcast::player
