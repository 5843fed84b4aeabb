// tile_cover.h — covers the changed tiles by few rectangles, as each is a command to a device and costs as much time as
// transferring some hundred kilobytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "texcast/tiles.h"

namespace texcast {

struct TileRectangle {
  int column = 0, row = 0, columns = 0, rows = 0;  // tiles
};
inline constexpr size_t kMostRectangles = 8;

// Writes non-overlapping rectangles: of changed tiles only if kMostRectangles suffice, else with unchanged tiles among
// them. Does not allocate if there is room for kMostRectangles + 1.
void cover_tiles(std::span<const uint8_t> changed, const TileRaster& grid, std::vector<TileRectangle>& rectangles);

}  // namespace texcast
