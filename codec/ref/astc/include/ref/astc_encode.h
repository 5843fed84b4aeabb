// ref/astc_encode.h — encodes blocks of R'G'B' and alpha as ASTC, LDR profile, of 4x4, 5x5, 6x6 and 8x8 texels.
//
// The error is estimated for every line that the texels may be on and every bit layout, and the best candidates are
// fitted. Source: "ASTC Compression Acceleration Using CUDA" for the order of the steps and for the candidate list that
// is kept in place; Khronos Data Format 1.3, section 23.
#pragma once

#include <span>

#include "ref/astc.h"
#include "texcast/method.h"

namespace texcast::ref {

// Texels row by row, 0..255; side * side of them. `method` must be that of a quality.
AstcBlock encode_astc(std::span<const AstcRgba> texels, int side, Method method);

}  // namespace texcast::ref
