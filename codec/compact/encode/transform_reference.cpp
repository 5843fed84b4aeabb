#include "transform_reference.h"

#include <algorithm>

#include "compact/interpolation.h"
#include "compact/simd.h"

namespace texcast::compact {

TransformReference::TransformReference(const TileGrid& grid) : grid_(grid), samples_(grid), is_updated_(grid.tiles()) {
  for (Plane& plane : halves_) plane.resize(stride(0) * static_cast<size_t>(height(0)) + SamplePlanes::kMore);
}

void TransformReference::update(uint32_t tile, const SamplePlanes& samples) {
  is_updated_[tile] = 1;
  samples_.copy(grid_, {.tile = tile}, samples);
}

void TransformReference::update(uint32_t tile, const std::byte* texture) {
  is_updated_[tile] = 1;
  samples_.decode(grid_, {.tile = tile}, texture);
}

bool TransformReference::is_stale(uint32_t tile) const {
  const int across = grid_.across(), column = static_cast<int>(tile) % across, row = static_cast<int>(tile) / across;
  for (int y = std::max(row - 1, 0); y <= std::min(row + 1, grid_.down() - 1); ++y)
    for (int x = std::max(column - 1, 0); x <= std::min(column + 1, across - 1); ++x)
      if (is_updated_[static_cast<size_t>(y * across + x)] != 0) return true;
  return false;
}

void TransformReference::interpolate(uint32_t tile) {
  if (!is_stale(tile)) return;
  constexpr int kSide = kMacroblockSide, kMore = kTapsBefore + kTapsAfter;
  const BlockRect rect = grid_.blocks(grid_.component(0), {.tile = tile});
  SampleWindow memory;
  for (int y = rect.y0 * 4; y < rect.y1 * 4; y += kSide)
    for (int x = rect.x0 * 4; x < rect.x1 * 4; x += kSide) {
      const int columns = std::min(kSide, rect.x1 * 4 - x), rows = std::min(kSide, rect.y1 * 4 - y);
      const auto [first, from_stride] =
          sample_window(samples_, 0, x - kTapsBefore, y - kTapsBefore, columns + kMore, rows + kMore, memory);
      const uint8_t* const from = first + kTapsBefore * from_stride + kTapsBefore;
      for (int half = 1; half < 4; ++half)
        compact::interpolate(
            from, from_stride, columns, rows,
            {.eighth_x = (half & 1) != 0 ? 4 : 0, .eighth_y = (half & 2) != 0 ? 4 : 0}, grid_.component(0),
            &halves_[static_cast<size_t>(half - 1)][static_cast<size_t>(y) * stride(0) + static_cast<size_t>(x)],
            samples_.stride(0));
    }
}

void TransformReference::end_frame() { std::ranges::fill(is_updated_, uint8_t{0}); }

bool TransformReference::predict(int component, const TransformBlocks& blocks, const MotionVector& vector,
                                 MacroblockTexels& texels) const {
  const Component& of = grid_.component(component);
  if (component == 0) {
    const auto [first, second] = luma(blocks.x * 16 + vector.x, blocks.y * 16 + vector.y);
    if (first == nullptr) return false;
    for (size_t y = 0; y < kMacroblockSide; ++y)
      store_vector(&texels[y * kMacroblockSide],
                   average(load_vector<U8x16>(first + y * stride(0)), load_vector<U8x16>(second + y * stride(0))));
    return true;
  }
  const TexelVector by = texel_vector(vector, of);
  const int x = blocks.x * 4 + by.x, y = blocks.y * 4 + by.y;
  const int columns = blocks.columns * kTransformSide, rows = blocks.rows * kTransformSide;
  if (x < kTapsBefore || y < kTapsBefore || x + columns + kTapsAfter > width(component) ||
      y + rows + kTapsAfter > height(component))
    return false;
  compact::interpolate(samples_.at(component, x, y), samples_.stride(component), columns, rows, by, of, texels.data(),
                       kMacroblockSide);
  return true;
}

}  // namespace texcast::compact
