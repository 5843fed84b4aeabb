// texture_rows.h — the bytes of a texture's rows of tiles, plane by plane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compact/tile_grid.h"
#include "formats/row_changes.h"
#include "texcast/format.h"

namespace texcast::compact {

class TextureRows {
 public:
  explicit TextureRows(const TextureDesc& texture)
      : format_(format_row(texture.format)), layout_(texture_layout(texture)) {}
  // Calls `call(first byte, bytes)` for the rows that changed after the texture of number `since`.
  template <typename Call>
  void for_changed(const RowChanges& changes, uint64_t since, const Call& call) const {
    for (int p = 0; p < layout_.plane_count; ++p) {
      const PlaneLayout& plane = layout_.planes[p];
      const size_t rows = plane.blocks_y, row_bytes = plane.bytes / rows;
      for_each_changed(changes, since, format_.planes[p], plane, 0, rows, [&](size_t first, size_t end) {
        call(plane.offset + first * row_bytes, (end - first) * row_bytes);
      });
    }
  }

 private:
  const Format& format_;
  const TextureLayout layout_;
};

}  // namespace texcast::compact
