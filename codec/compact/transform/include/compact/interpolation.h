// interpolation.h — motion compensation of transform slices: filters at quarter texels, in subsampled components at
// eighths.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "compact/motion_vector.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// How many texels the filters read before and after the texels that they make, at most.
inline constexpr int kTapsBefore = 2, kTapsAfter = 3;

// Components with fewer texels than pixels have a filter of their own.
inline bool is_subsampled(const Component& component) { return component.across * component.down > 1; }

// A vector in a component: whole texels, and eighths of one. The eighths of a component that is not subsampled are
// even.
struct TexelVector {
  int x = 0, y = 0;
  int eighth_x = 0, eighth_y = 0;  // 0 to 7
  bool is_whole() const { return (eighth_x | eighth_y) == 0; }
  // It leads from blocks to blocks.
  bool is_whole_blocks() const { return is_whole() && ((x | y) & 3) == 0; }
};
// `vector` is in quarter pixels.
inline TexelVector texel_vector(const MotionVector& vector, const Component& component) {
  const int x = component.across == 2 ? vector.x : 2 * vector.x, y = component.down == 2 ? vector.y : 2 * vector.y;
  return {x >> 3, y >> 3, x & 7, y & 7};
}

// How many texels the filter of a component reads before and after those that it makes, in a direction with this
// fraction.
struct FilterReach {
  int before = 0, after = 0;
};
inline FilterReach filter_reach(const Component& component, int eighth) {
  if (eighth == 0) return {};
  return is_subsampled(component) ? FilterReach{1, 2} : FilterReach{kTapsBefore, kTapsAfter};
}

// The place of a sample in a component that is not subsampled, in half texels. Samples between texels are made with six
// taps: 1, -4, 19, 19, -4, 1 in 1/32. They are softer than those of H.264.
struct HalfSample {
  int x = 0, y = 0;
  int texel_x() const { return x >> 1; }
  int texel_y() const { return y >> 1; }
  int plane() const { return (x & 1) | (y & 1) << 1; }  // bit 0: between texels across, bit 1: down
  bool operator==(const HalfSample&) const = default;
};
// The two samples whose mean, rounded up, is the one at a place in quarter texels. They are the same at half texels.
// Between four samples they are the one that is halfway across only, and the one that is halfway down only.
inline std::array<HalfSample, 2> half_samples(int quarter_x, int quarter_y) {
  const int x = quarter_x >> 1, y = quarter_y >> 1;
  if ((quarter_x & quarter_y & 1) == 0) return {{{x, y}, {(quarter_x + 1) >> 1, (quarter_y + 1) >> 1}}};
  const int more = (x + y + 1) & 1;
  return {{{x + more, y}, {x + 1 - more, y + 1}}};
}

// The taps of a subsampled component at an eighth, in 1/64, from one texel before to two after: those of HEVC's chroma
// (ITU-T H.265, 8.5.3.3.3.2).
inline const std::array<int16_t, 4>& eighth_taps(int eighth) {
  static constexpr std::array<std::array<int16_t, 4>, 8> kTaps{{{0, 64, 0, 0},
                                                                {-2, 58, 10, -2},
                                                                {-4, 54, 16, -2},
                                                                {-6, 46, 28, -4},
                                                                {-4, 36, 36, -4},
                                                                {-4, 28, 46, -6},
                                                                {-2, 16, 54, -4},
                                                                {-2, 10, 58, -2}}};
  return kTaps[static_cast<size_t>(eighth)];
}

// Makes `width` by `height` texels, at most 16 by 16. `from`: the texel at the whole part of the vector; kTapsBefore
// texels before it and kTapsAfter after the last one are read in each direction, whatever the fractions.
void interpolate(const uint8_t* from, ptrdiff_t stride, int width, int height, const TexelVector& vector,
                 const Component& component, uint8_t* out, ptrdiff_t out_stride);

}  // namespace texcast::compact
