#include "compact/interpolation.h"

#include <cstring>

#include "transform_kernels.h"

namespace texcast::compact {
namespace {

constexpr int kMostSide = 16, kMostWindow = kMostSide + kTapsBefore + kTapsAfter;

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

}  // namespace texcast::compact
