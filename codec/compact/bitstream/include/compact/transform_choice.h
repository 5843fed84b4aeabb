// transform_choice.h — whether a lossy stream has transform slices.
#pragma once

#include "compact/tile_grid.h"
#include "texcast/transform_coding.h"

namespace texcast::compact {

// `is_on_device`: an encoder backend would lead, which codes no transform slices.
inline bool chooses_transform(TransformCoding wanted, TextureFormat format, bool is_on_device) {
  if (!TileGrid::can_have_transform(format)) return false;
  return wanted == TransformCoding::on || (wanted == TransformCoding::automatic && !is_on_device);
}

}  // namespace texcast::compact
