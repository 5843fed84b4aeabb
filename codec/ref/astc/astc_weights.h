// astc_weights.h — a weight for each texel out of the grid of weights (section 23.18).
#pragma once

#include <span>

#include "astc_mode.h"

namespace texcast::ref {

// Where texel `at` of `texels` along a side lies among `weights`, in sixteenths.
int astc_place(int at, int texels, int weights);

// `weights` row by row, 0..64, `grid.planes` at each place; of one plane. The answer is 0..64 too.
int astc_texel_weight(const AstcGrid& grid, AstcSize size, std::span<const int> weights, int plane, int x, int y);

}  // namespace texcast::ref
