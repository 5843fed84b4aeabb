// etc1_fit.h — individual and differential blocks: the modes that ETC1 has.
#pragma once

#include "etc2_pack.h"

namespace texcast::ref::etc {

// A block with its squared error over all texels and channels.
struct Coded {
  Etc2Block block{};
  int error = 0;
};

// Both halvings, each mode; `effort` is a TEXCAST_… method of kernels/effort.h.
Coded best_of_halves(const RgbBlock& texels, int effort);

}  // namespace texcast::ref::etc
