// tile_cover.h — few rectangles that hold all changed tiles: each is a command to a device, which takes as long as some
// hundred kilobytes on their way.
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

// Into `rectangles`, which do not overlap: the changed tiles alone where that takes at most kMostRectangles, else with
// others between them. Allocates nothing where there is room for kMostRectangles + 1.
void cover_tiles(std::span<const uint8_t> changed, const TileRaster& grid, std::vector<TileRectangle>& rectangles);

}  // namespace texcast
