// interpolation.h — motion compensation of transform slices: a separable filter of six taps at quarter positions, and
// the window of the reference frame that it reads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "compact/motion_vector.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// How many texels the filter reads before and after the texels that it makes.
inline constexpr int kTapsBefore = 2, kTapsAfter = 3;

// A vector in a component: whole texels, and quarters of one.
struct TexelVector {
  int x = 0, y = 0;
  int quarter_x = 0, quarter_y = 0;  // 0 to 3
  bool is_whole() const { return (quarter_x | quarter_y) == 0; }
  // It leads from blocks to blocks.
  bool is_whole_blocks() const { return is_whole() && ((x | y) & 3) == 0; }
};
// `vector` is in half pixels.
inline TexelVector texel_vector(const MotionVector& vector, const Component& component) {
  const int x = component.across == 2 ? vector.x : 2 * vector.x, y = component.down == 2 ? vector.y : 2 * vector.y;
  return {x >> 2, y >> 2, x & 3, y & 3};
}

// The taps at a quarter, in 1/32: those of H.264 for half texels in a component with a texel for each pixel, and those
// of HEVC's chroma (ITU-T H.265, 8.5.3.3.3.2) in a subsampled one.
inline const std::array<int16_t, 6>& taps_of(bool is_subsampled, int quarter) {
  static constexpr std::array<std::array<int16_t, 6>, 4> kWhole{
      {{0, 0, 32, 0, 0, 0}, {0, 0, 32, 0, 0, 0}, {1, -5, 20, 20, -5, 1}, {0, 0, 32, 0, 0, 0}}};
  static constexpr std::array<std::array<int16_t, 6>, 4> kSubsampled{
      {{0, 0, 32, 0, 0, 0}, {0, -2, 27, 8, -1, 0}, {0, -2, 18, 18, -2, 0}, {0, -1, 8, 27, -2, 0}}};
  return (is_subsampled ? kSubsampled : kWhole)[static_cast<size_t>(quarter)];
}

// Makes `width` by `height` texels, at most 16 by 16. `from`: the texel at the whole part of the vector; kTapsBefore
// texels before it and kTapsAfter after the last one are read in each direction, whatever the quarters.
void interpolate(const uint8_t* from, ptrdiff_t stride, int width, int height, const TexelVector& vector,
                 const Component& component, uint8_t* out, ptrdiff_t out_stride);

// A window of the reference frame: whole blocks, of which the first and the last ones may be wanted in part.
struct TexelWindow {
  static constexpr int kBlocks = 6;         // across and down, at most
  static constexpr ptrdiff_t kStride = 32;  // of texels in a row
  alignas(32) std::array<uint8_t, size_t{4 * kBlocks} * kStride> at;
};

// The texels of a component of a texture, decoded block by block where they are needed. Texels outside of the plane are
// those of its edge.
class ReferenceTexels {
 public:
  // `texture` is borrowed.
  ReferenceTexels(const std::byte* texture, const Component& component) : texture_(texture), component_(component) {}
  // Texels [x, x + width) by [y, y + height), at most 21 by 21. Returns the first one, in `texels`, whose rows have
  // TexelWindow::kStride bytes.
  const uint8_t* window(int x, int y, int width, int height, TexelWindow& texels) const;
  // The same, copied.
  void window(int x, int y, int width, int height, uint8_t* out, ptrdiff_t stride) const;
  // Whether a block lies in the plane, and its bytes.
  bool has_block(int x, int y) const { return x >= 0 && y >= 0 && x < component_.blocks_x && y < component_.blocks_y; }
  uint64_t block(int x, int y) const;

 private:
  const std::byte* texture_;
  const Component& component_;
};

}  // namespace texcast::compact
