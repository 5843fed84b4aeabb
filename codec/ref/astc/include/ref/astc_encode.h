// ref/astc_encode.h — blocks of R'G'B' and alpha to ASTC, LDR profile, of 4x4, 5x5, 6x6 and 8x8 texels.
//
// For every line that its texels may lie on and every layout of its bits, what a block loses is estimated; the best of
// the estimates are fitted. Source: "ASTC Compression Acceleration Using CUDA" for the order of the steps and the list
// of the best that is kept in place; Khronos Data Format 1.3, section 23.
#pragma once

#include <span>

#include "ref/astc.h"
#include "texcast/method.h"

namespace texcast::ref {

// Texels row by row, 0..255; side * side of them. The methods are those that have a quality.
AstcBlock encode_astc(std::span<const AstcRgba> texels, int side, Method method);

}  // namespace texcast::ref
