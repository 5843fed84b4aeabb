// transform_choice.h — whether a lossy stream has transform slices.
#pragma once

#include "compact/tile_grid.h"
#include "texcast/transform_coding.h"

namespace texcast::compact {

inline bool chooses_transform(TransformCoding wanted, TextureFormat format) {
  return wanted != TransformCoding::off && TileGrid::can_have_transform(format);
}

}  // namespace texcast::compact
