// dct_basis.h — the basis functions of the 8x8 DCT.
#pragma once

#include <cstdint>

#include "compact/transform_syntax.h"

namespace texcast::compact {

// Row k has the samples of basis function k. The second half of a row is the first one mirrored; the sign changes in
// odd rows.
inline constexpr int16_t kDctBasis[kTransformSide][4] = {{64, 64, 64, 64},    {89, 75, 50, 18},   {83, 36, -36, -83},
                                                         {75, -18, -89, -50}, {64, -64, -64, 64}, {50, -89, 18, 75},
                                                         {36, -83, 83, -36},  {18, -50, 75, -89}};

}  // namespace texcast::compact
