// cut_formats.h — the formats that coded streams support.
#pragma once

#include <vector>

#include "compact/tile_grid.h"
#include "texcast/format.h"

namespace textures {

// All displayable formats that TileGrid::can_cut().
inline std::vector<texcast::TextureFormat> cut_formats() {
  std::vector<texcast::TextureFormat> list;
  for (const texcast::TextureFormat format : texcast::shown_formats())
    if (texcast::compact::TileGrid::can_cut(format)) list.push_back(format);
  return list;
}

}  // namespace textures
