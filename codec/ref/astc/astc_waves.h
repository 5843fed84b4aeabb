// astc_waves.h — the cosine transform of a block's values. The part of them that a weight grid cannot reproduce is
// nearly a fixed fraction of each wave's energy.
#pragma once

#include "astc_tables_view.h"
#include "astc_texels.h"

namespace texcast::ref::astc {

using Values = std::array<float, kMostTexels>;  // of texels, row by row; or of waves, by their indices down and across

// The energy of each wave.
Values squared_waves(const Values& values, int side);
// The energy that a grid loses.
float lost_by(const Tables& tables, const Grid& grid, int side, const Values& squares);

}  // namespace texcast::ref::astc
