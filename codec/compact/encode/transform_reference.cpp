#include "transform_reference.h"

#include <algorithm>
#include <cstring>

#include "compact/block_fit.h"
#include "compact/interpolation.h"
#include "compact/sub_block.h"

namespace texcast::compact {

TransformReference::TransformReference(const TileGrid& grid) : grid_(grid), is_updated_(grid.tiles()) {
  constexpr size_t kMore = 32;  // vectors may be read beyond the last texel
  for (Plane& plane : luma_) plane.resize(stride(0) * static_cast<size_t>(height(0)) + kMore);
  for (int c = 1; c < kTransformComponents; ++c) plane(c).resize(stride(c) * static_cast<size_t>(height(c)) + kMore);
}

void TransformReference::update(uint32_t tile, const std::byte* texture) {
  is_updated_[tile] = 1;
  for (int c = 0; c < kTransformComponents; ++c) {
    const Component& component = grid_.component(c);
    const BlockRect rect = grid_.blocks(component, {.tile = tile});
    for (int y = rect.y0; y < rect.y1; ++y)
      for (int x = rect.x0; x < rect.x1; ++x) {
        const auto rows = reinterpret_cast<U32x4>(nearest_texels(load_sub_block(texture + component.at(x, y))));
        uint8_t* at = &plane(c)[static_cast<size_t>(y) * 4 * stride(c) + static_cast<size_t>(x) * 4];
        for (int j = 0; j < 4; ++j, at += stride(c)) {
          const uint32_t row = rows[j];
          std::memcpy(at, &row, 4);
        }
      }
  }
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
  constexpr int kSide = kMacroblockSide, kWindow = kSide + kTapsBefore + kTapsAfter;
  const Component& component = grid_.component(0);
  const BlockRect rect = grid_.blocks(component, {.tile = tile});
  std::array<uint8_t, kWindow * kWindow + kSide> window{};
  for (int y = rect.y0 * 4; y < rect.y1 * 4; y += kSide)
    for (int x = rect.x0 * 4; x < rect.x1 * 4; x += kSide) {
      const int columns = std::min(kSide, rect.x1 * 4 - x), rows = std::min(kSide, rect.y1 * 4 - y);
      const uint8_t* from = &luma_[0][static_cast<size_t>(y) * stride(0) + static_cast<size_t>(x)];
      auto from_stride = static_cast<ptrdiff_t>(stride(0));
      if (x < kTapsBefore || y < kTapsBefore || x + columns + kTapsAfter > width(0) ||
          y + rows + kTapsAfter > height(0)) {
        for (int j = 0; j < rows + kTapsBefore + kTapsAfter; ++j)
          for (int i = 0; i < columns + kTapsBefore + kTapsAfter; ++i)
            window[static_cast<size_t>(j * kWindow + i)] =
                luma_[0][static_cast<size_t>(std::clamp(y + j - kTapsBefore, 0, height(0) - 1)) * stride(0) +
                         static_cast<size_t>(std::clamp(x + i - kTapsBefore, 0, width(0) - 1))];
        from = &window[kTapsBefore * kWindow + kTapsBefore];
        from_stride = kWindow;
      }
      for (int half = 1; half < 4; ++half)
        compact::interpolate(
            from, from_stride, columns, rows,
            {.eighth_x = (half & 1) != 0 ? 4 : 0, .eighth_y = (half & 2) != 0 ? 4 : 0}, component,
            &luma_[static_cast<size_t>(half)][static_cast<size_t>(y) * stride(0) + static_cast<size_t>(x)],
            static_cast<ptrdiff_t>(stride(0)));
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
  compact::interpolate(&plane(component)[static_cast<size_t>(y) * stride(component) + static_cast<size_t>(x)],
                       static_cast<ptrdiff_t>(stride(component)), columns, rows, by, of, texels.data(),
                       kMacroblockSide);
  return true;
}

}  // namespace texcast::compact
