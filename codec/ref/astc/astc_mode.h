// astc_mode.h — a block's eleven lowest bits: the weight grid (section 23.10).
#pragma once

#include <optional>

#include "ref/astc.h"

namespace texcast::ref {

struct AstcGrid {
  int width = 0, height = 0;  // weights
  int planes = 1;             // two: one channel has its own weights
  int range = 0;              // of the weights (astc_ranges.h)
  int weights() const { return width * height * planes; }
  int bits() const;  // of all weights
};

inline constexpr int kAstcModes = 2048;
inline constexpr int kAstcMaxWeights = 64;

// None if the bits are reserved, or if the grid has more weights than a block may have, has more than there are texels
// across or down, or takes too many or too few bits.
std::optional<AstcGrid> astc_grid(int mode, AstcSize size);

// A block of one colour has no grid.
inline bool is_astc_void_extent(int mode) { return (mode & 0x1FF) == 0x1FC; }

}  // namespace texcast::ref
