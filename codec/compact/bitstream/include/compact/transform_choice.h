// transform_choice.h — whether a lossy stream has transform slices.
#pragma once

#include "compact/tile_grid.h"
#include "texcast/transform_coding.h"

namespace texcast::compact {

// Whether TransformCoding::automatic chooses transform coding for streams that a device codes.
inline constexpr bool kIsAutomaticOnDevices = false;

// `is_on_device`: an encoder backend may lead.
inline bool chooses_transform(TransformCoding wanted, TextureFormat format, bool is_on_device) {
  if (!TileGrid::can_have_transform(format)) return false;
  if (wanted == TransformCoding::automatic) return kIsAutomaticOnDevices || !is_on_device;
  return wanted == TransformCoding::on;
}

}  // namespace texcast::compact
