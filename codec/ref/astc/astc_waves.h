// astc_waves.h — a block's values as cosine waves. What a grid of weights cannot draw of values is nearly a part of
// each wave's squares, the same for all values.
#pragma once

#include "astc_tables_view.h"
#include "astc_texels.h"

namespace texcast::ref::astc {

using Values = std::array<float, kMostTexels>;  // of texels, row by row; or of waves, by waves down and across

// The squares of the waves.
Values squared_waves(const Values& values, int side);
// Which part of them a grid loses.
float lost_by(const Tables& tables, const Grid& grid, int side, const Values& squares);

}  // namespace texcast::ref::astc
