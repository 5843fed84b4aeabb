// reference_window.h — which blocks of the reference frame an inter macroblock reads (docs/compact.md, 5.13): a decoder
// has to know whether they are right, and an encoder which of them its receivers may lack.
#pragma once

#include <algorithm>

#include "compact/interpolation.h"
#include "compact/motion_vector.h"
#include "compact/tile_grid.h"
#include "compact/transform_syntax.h"

namespace texcast::compact {

// The blocks of a component that a macroblock with this vector (in quarter pixels) reads, all in the plane. `blocks`:
// those of the macroblock; the result is empty if there are none. They are the blocks with the texels that the filter
// reads, and where these lie outside of the plane, the nearest blocks. Taps count only in directions with a fraction.
// So it holds for exact copies too.
inline BlockRect reference_window(const Component& component, const TransformBlocks& blocks,
                                  const MotionVector& vector) {
  if (blocks.block_columns == 0 || blocks.block_rows == 0) return {};
  const TexelVector by = texel_vector(vector, component);
  int x0 = blocks.x * 4 + by.x, x1 = x0 + blocks.block_columns * 4 - 1;  // texels, the last one included
  int y0 = blocks.y * 4 + by.y, y1 = y0 + blocks.block_rows * 4 - 1;
  const FilterReach across = filter_reach(component, by.eighth_x), down = filter_reach(component, by.eighth_y);
  x0 -= across.before, x1 += across.after;
  y0 -= down.before, y1 += down.after;
  const auto block_of = [](int texel, int count) { return std::clamp(texel >> 2, 0, count - 1); };
  return {.x0 = block_of(x0, component.blocks_x),
          .y0 = block_of(y0, component.blocks_y),
          .x1 = block_of(x1, component.blocks_x) + 1,
          .y1 = block_of(y1, component.blocks_y) + 1};
}

}  // namespace texcast::compact
