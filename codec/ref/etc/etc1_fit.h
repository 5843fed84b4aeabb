// etc1_fit.h — individual and differential blocks: the modes that ETC1 has.
#pragma once

#include "etc2_pack.h"

namespace texcast::ref::etc {

// A block with its squared error over all texels and channels, or what that is taken to be.
struct Coded {
  Etc2Block block{};
  int error = 0;
};

// Both halvings, each mode; `effort` is a TEXCAST_… method of kernels/effort.h. Estimated: for refine_once and refine;
// fitted: for the others.
Coded estimated_halves(const RgbBlock& texels, int effort);
Coded fitted_halves(const RgbBlock& texels, int effort);

// Each texel's nearest paint of its half.
Indices nearest_indices(const RgbBlock& texels, const HalvesCode& code);

}  // namespace texcast::ref::etc
