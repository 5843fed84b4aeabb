#include "transform_source.h"

#include <cstring>

#include "compact/block_fit.h"
#include "compact/sub_block.h"

namespace texcast::compact {

void TransformSource::read(const TileGrid& grid, const Slice& slice, const RdSource& source, const std::byte* texture) {
  if (source.film != nullptr) return read(grid, slice, *source.film);
  if (source.picture != nullptr) return read(grid, slice, *source.picture);
  for (int c = 0; c < kTransformComponents; ++c) {
    const Component& component = grid.component(c);
    const BlockRect rect = grid.blocks(component, slice);
    Plane& plane = planes_[static_cast<size_t>(c)];
    for (int y = rect.y0; y < rect.y1; ++y)
      for (int x = rect.x0; x < rect.x1; ++x) {
        U8x16 texels;
        if (!source.texels.empty() && !source.has_decoded_blocks)
          texels = load_vector<U8x16>(source.texels[component.at(x, y) / 8].data());
        else
          texels = nearest_texels(load_sub_block(texture + component.at(x, y)));
        const auto rows = reinterpret_cast<U32x4>(texels);
        for (int j = 0; j < 4; ++j) {
          const uint32_t row = rows[j];
          std::memcpy(&plane[static_cast<size_t>(((y - rect.y0) * 4 + j) * kStride + (x - rect.x0) * 4)], &row, 4);
        }
      }
    if (rect.count() > 0) repeat_edge(plane, rect.width() * 4, rect.height() * 4);
  }
}

void TransformSource::read(const TileGrid& grid, const Slice& slice, const SourcePicture& picture) {
  picture_.read(grid, slice, picture);
  for (int c = 0; c < kTransformComponents; ++c) {
    const BlockRect rect = grid.blocks(grid.component(c), slice);
    if (rect.count() <= 0) continue;
    Plane& plane = planes_[static_cast<size_t>(c)];
    std::memcpy(plane.data(), picture_.plane(c), static_cast<size_t>(rect.height()) * 4 * kStride);
    repeat_edge(plane, rect.width() * 4, rect.height() * 4);
  }
}

void TransformSource::read(const TileGrid& grid, const Slice& slice, const FilmSource& film) {
  const BlockRect luma = grid.blocks(grid.component(0), slice), chroma = grid.blocks(grid.component(1), slice);
  film.read_luma(luma, planes_[0].data(), kStride);
  repeat_edge(planes_[0], luma.width() * 4, luma.height() * 4);
  if (chroma.count() <= 0) return;
  film.read_chroma(chroma, planes_[1].data(), planes_[2].data(), kStride);
  for (const size_t c : {1, 2}) repeat_edge(planes_[c], chroma.width() * 4, chroma.height() * 4);
}

void TransformSource::repeat_edge(Plane& plane, int width, int height) {
  if (width < kTileWidth)
    for (int y = 0; y < height; ++y) {
      uint8_t* const row = &plane[static_cast<size_t>(y * kStride)];
      std::memset(row + width, row[width - 1], static_cast<size_t>(kStride - width));
    }
  for (int y = height; y < kTileHeight; ++y)
    std::memcpy(&plane[static_cast<size_t>(y * kStride)], &plane[static_cast<size_t>((height - 1) * kStride)], kStride);
}

}  // namespace texcast::compact
