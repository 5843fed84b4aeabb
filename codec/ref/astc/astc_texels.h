// astc_texels.h — a block in the encoder's representation: single precision, with a defined order of operations
// (reciprocal.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ref/astc.h"

namespace texcast::ref::astc {

inline constexpr size_t kMostTexels = 64;
using Channels = std::array<float, 4>;
inline constexpr std::array<size_t, 4> kChannels = {0, 1, 2, 3};

inline float dot(const Channels& a, const Channels& b) {
  return ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3];
}

inline float light(const Channels& c) { return (c[0] + c[1]) + c[2]; }

struct Texels {
  int side = 4;
  bool has_alpha = false;  // else the fourth channel is 0
  bool is_grey = false;    // red, green and blue are equal in every texel
  Channels center{};       // whole numbers near the mean, which are subtracted from the values
  std::array<Channels, kMostTexels> values{};
  int count() const { return side * side; }
  std::span<const Channels> all() const { return std::span(values).first(static_cast<size_t>(count())); }
};

Texels texels_of(std::span<const AstcRgba> block, int side);

}  // namespace texcast::ref::astc
