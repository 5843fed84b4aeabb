#include "compact/interpolation.h"

#include <cstring>

#include "base/ensure.h"
#include "compact/block_fit.h"
#include "compact/sub_block.h"
#include "transform_kernels.h"

namespace texcast::compact {
namespace {

constexpr int kMostSide = 16, kMostWindow = kMostSide + kTapsBefore + kTapsAfter;

// The texels of a block that the nearest one in the plane stands for.
U8x16 extended(U8x16 texels, int x, int y, const Component& component) {
  auto rows = reinterpret_cast<U32x4>(texels);
  if (x < 0 || x >= component.blocks_x) {
    rows = rows >> (x < 0 ? 0 : 24) & 255;
    rows |= rows << 8;
    rows |= rows << 16;
  }
  if (y < 0 || y >= component.blocks_y) rows = U32x4{} + rows[y < 0 ? 0 : 3];
  return reinterpret_cast<U8x16>(rows);
}

}  // namespace

void interpolate(const TransformKernels& kernels, const uint8_t* from, ptrdiff_t stride, int width, int height,
                 const TexelVector& vector, const Component& component, uint8_t* out, ptrdiff_t out_stride) {
  if (is_subsampled(component))
    return kernels.eighth(from, stride, width, height, vector.eighth_x, vector.eighth_y, out, out_stride);
  const auto [first, second] = half_samples(vector.eighth_x / 2, vector.eighth_y / 2);
  kernels.half(from + first.texel_y() * stride + first.texel_x(), stride, width, height, first.plane(), false, out,
               out_stride);
  if (first == second) return;
  kernels.half(from + second.texel_y() * stride + second.texel_x(), stride, width, height, second.plane(), true, out,
               out_stride);
}

void interpolate(const uint8_t* from, ptrdiff_t stride, int width, int height, const TexelVector& vector,
                 const Component& component, uint8_t* out, ptrdiff_t out_stride) {
  if (width % 8 == 0)
    return interpolate(transform_kernels(), from, stride, width, height, vector, component, out, out_stride);
  // Kernels read and write 8 or 16 texels.
  constexpr int kStride = kMostSide + 8 + kTapsBefore + kTapsAfter;
  std::array<uint8_t, size_t{kMostWindow} * kStride> window{};
  std::array<uint8_t, size_t{kMostSide} * kMostSide> made;
  for (int y = 0; y < height + kTapsBefore + kTapsAfter; ++y)
    std::memcpy(&window[static_cast<size_t>(y * kStride)], from + (y - kTapsBefore) * stride - kTapsBefore,
                static_cast<size_t>(width + kTapsBefore + kTapsAfter));
  interpolate(transform_kernels(), &window[kTapsBefore * kStride + kTapsBefore], kStride, width > 8 ? 16 : 8, height,
              vector, component, made.data(), kMostSide);
  for (int y = 0; y < height; ++y)
    std::memcpy(out + y * out_stride, &made[static_cast<size_t>(y * kMostSide)], static_cast<size_t>(width));
}

uint64_t ReferenceTexels::block(int x, int y) const { return load_sub_block(texture_ + component_.at(x, y)); }

const uint8_t* ReferenceTexels::window(int x, int y, int width, int height, TexelWindow& texels) const {
  const int x0 = x >> 2, y0 = y >> 2, x1 = ((x + width - 1) >> 2) + 1, y1 = ((y + height - 1) >> 2) + 1;
  ENSURE(x1 - x0 <= TexelWindow::kBlocks && y1 - y0 <= TexelWindow::kBlocks);
  const bool has_row = x0 >= 0 && x1 <= component_.blocks_x && x1 - x0 > 1;
  for (int by = y0; by < y1; ++by) {
    uint8_t* const row = &texels.at[static_cast<size_t>((by - y0) * 4 * TexelWindow::kStride)];
    if (has_row && by >= 0 && by < component_.blocks_y) {
      transform_kernels().decode_row(texture_ + component_.at(x0, by), component_.stride, x1 - x0, row);
      continue;
    }
    const int inside_y = std::clamp(by, 0, component_.blocks_y - 1);
    for (int bx = x0; bx < x1; ++bx) {
      const int inside_x = std::clamp(bx, 0, component_.blocks_x - 1);
      const auto rows =
          reinterpret_cast<U32x4>(extended(nearest_texels(block(inside_x, inside_y)), bx, by, component_));
      for (int j = 0; j < 4; ++j) store_vector<uint32_t>(row + j * TexelWindow::kStride + (bx - x0) * 4, rows[j]);
    }
  }
  return &texels.at[static_cast<size_t>((y - y0 * 4) * TexelWindow::kStride + x - x0 * 4)];
}

void ReferenceTexels::window(int x, int y, int width, int height, uint8_t* out, ptrdiff_t stride) const {
  TexelWindow texels;
  const uint8_t* const from = window(x, y, width, height, texels);
  for (int j = 0; j < height; ++j)
    std::memcpy(out + j * stride, from + j * TexelWindow::kStride, static_cast<size_t>(width));
}

}  // namespace texcast::compact
