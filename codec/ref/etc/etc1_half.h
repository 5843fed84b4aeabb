// etc1_half.h — half of a block: its texels, their sums, and a fit of them.
#pragma once

#include "etc_colors.h"

namespace texcast::ref::etc {

struct Half {
  std::array<Rgb, 8> texels{};
  Rgb sum{};
  int squares = 0;                    // of all channels
  std::array<int, 8> sums{};          // each texel's sum of channels
  int sum_squares = 0;                // of `sums`
  int least = 3 * 255, greatest = 0;  // of `sums`

  Half(const RgbBlock& block, bool is_flipped, size_t which) {
    size_t at = 0;
    for (size_t i = 0; i < 16; ++i)
      if (((is_flipped ? i / 4 : i % 4) < 2) == (which == 0)) texels[at++] = texel(block, i);
    for (size_t i = 0; i < 8; ++i) {
      for (size_t c = 0; c < 3; ++c) {
        sum[c] += texels[i][c];
        squares += texels[i][c] * texels[i][c];
        sums[i] += texels[i][c];
      }
      sum_squares += sums[i] * sums[i];
      least = std::min(least, sums[i]);
      greatest = std::max(greatest, sums[i]);
    }
  }
};

// The range of codes that a half's colour may have, per channel.
struct Limits {
  Rgb low{}, high{};
};
inline Limits all_codes(int bits) {
  const int most = (1 << bits) - 1;
  return {{0, 0, 0}, {most, most, most}};
}
// The codes that differ from `code` by `from` to `to`.
inline Limits codes_around(const Rgb& code, int from, int to) {
  Limits limits;
  for (size_t c = 0; c < 3; ++c) {
    limits.low[c] = std::max(code[c] + from, 0);
    limits.high[c] = std::min(code[c] + to, 31);
  }
  return limits;
}

struct HalfFit {
  Rgb code{};
  size_t table = 0;
  int error = 0;
};

using Halves = std::array<Half, 2>;
using Fits = std::array<HalfFit, 2>;

}  // namespace texcast::ref::etc
