// etc1_fit.h — individual and differential blocks: the modes that ETC1 has.
#pragma once

#include "etc2_pack.h"

namespace texcast::ref::etc {

// A block with its squared error over all texels and channels, or an estimate of that.
struct Coded {
  Etc2Block block{};
  int error = 0;
};

// Tries both ways to halve a block, and each mode; `effort` is a TEXCAST_… method of kernels/effort.h. Estimated: for
// refine_once and refine; fitted: for the others.
Coded estimated_halves(const RgbBlock& texels, int effort);
Coded fitted_halves(const RgbBlock& texels, int effort);

// Each texel's nearest colour in its half's palette.
Indices nearest_indices(const RgbBlock& texels, const HalvesCode& code);

}  // namespace texcast::ref::etc
