// astc_weights.h — interpolates a weight for each texel from the weight grid (section 23.18).
#pragma once

#include <span>

#include "astc_mode.h"

namespace texcast::ref {

// The position of texel `at` of `texels` along a dimension among `weights`, in sixteenths.
int astc_place(int at, int texels, int weights);

// `weights` row by row, 0..64, `grid.planes` interleaved; uses `plane`. The result is 0..64 too.
int astc_texel_weight(const AstcGrid& grid, AstcSize size, std::span<const int> weights, int plane, int x, int y);

}  // namespace texcast::ref
