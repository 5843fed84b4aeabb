#include "compact/sample_planes.h"

#include <algorithm>
#include <cstring>

#include "base/ensure.h"
#include "compact/block_fit.h"
#include "compact/sub_block.h"
#include "transform_kernels.h"

namespace texcast::compact {

SampleLayout::SampleLayout(const TileGrid& grid) {
  for (int c = 0; c < kTransformComponents; ++c) {
    const auto i = static_cast<size_t>(c);
    offsets_[i] = samples_;
    widths_[i] = grid.component(c).blocks_x * 4;
    heights_[i] = grid.component(c).blocks_y * 4;
    samples_ += static_cast<size_t>(widths_[i]) * static_cast<size_t>(heights_[i]);
  }
}

SamplePlanes::SamplePlanes(const TileGrid& grid) : layout_(grid), samples_(layout_.samples() + kMore) {}

void SamplePlanes::decode(const TileGrid& grid, const Slice& slice, const std::byte* texture) {
  for (uint32_t tile = 0; tile < slice.tiles; ++tile)
    for (int c = 0; c < kTransformComponents; ++c) {
      const Component& component = grid.component(c);
      const BlockRect rect = grid.blocks(component, slice.only(tile));
      if (rect.width() == 0) continue;
      for (int y = rect.y0; y < rect.y1; ++y)
        transform_kernels().decode_row(texture + component.at(rect.x0, y), component.stride, rect.width(),
                                       at(c, rect.x0 * 4, y * 4), stride(c));
    }
}

void SamplePlanes::copy(const TileGrid& grid, const Slice& slice, const SamplePlanes& other) {
  copy(grid, slice, other.all());
}

void SamplePlanes::copy(const TileGrid& grid, const Slice& slice, std::span<const uint8_t> others) {
  ENSURE(others.size() == layout_.samples());
  for (uint32_t tile = 0; tile < slice.tiles; ++tile)
    for (int c = 0; c < kTransformComponents; ++c) {
      const BlockRect rect = grid.blocks(grid.component(c), slice.only(tile));
      for (int y = rect.y0 * 4; y < rect.y1 * 4; ++y)
        std::memcpy(at(c, rect.x0 * 4, y), others.data() + layout_.at(c, rect.x0 * 4, y),
                    static_cast<size_t>(rect.width()) * 4);
    }
}

bool SamplePlanes::equals(const TileGrid& grid, const Slice& slice, std::span<const uint8_t> others) const {
  ENSURE(others.size() == layout_.samples());
  for (uint32_t tile = 0; tile < slice.tiles; ++tile)
    for (int c = 0; c < kTransformComponents; ++c) {
      const BlockRect rect = grid.blocks(grid.component(c), slice.only(tile));
      for (int y = rect.y0 * 4; y < rect.y1 * 4; ++y)
        if (std::memcmp(at(c, rect.x0 * 4, y), others.data() + layout_.at(c, rect.x0 * 4, y),
                        static_cast<size_t>(rect.width()) * 4) != 0)
          return false;
    }
  return true;
}

SampleView sample_window(const SamplePlanes& planes, int component, int x, int y, int width, int height,
                         SampleWindow& memory) {
  const int columns = planes.layout().width(component), rows = planes.layout().height(component);
  if (x >= 0 && y >= 0 && x + width <= columns && y + height <= rows)
    return {planes.at(component, x, y), planes.stride(component)};
  ENSURE(width <= SampleWindow::kSide && height <= SampleWindow::kSide);
  const int first = std::clamp(-x, 0, width), end = std::clamp(columns - x, first, width);  // of the columns inside
  for (int j = 0; j < height; ++j) {
    const uint8_t* const row = planes.at(component, 0, std::clamp(y + j, 0, rows - 1));
    uint8_t* const to = &memory.at[static_cast<size_t>(j * SampleWindow::kStride)];
    std::fill(to, to + first, row[0]);
    if (first < end) std::copy(row + x + first, row + x + end, to + first);
    std::fill(to + end, to + width, row[columns - 1]);
  }
  return {memory.at.data(), SampleWindow::kStride};
}

}  // namespace texcast::compact
