// content_guess.h — guesses the content class of a tile that has not been coded yet. Later frames start with the class
// that the tile had last.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compact/content.h"
#include "compact/rd_parameters.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Pairs of neighbouring sub-blocks of a tile's first component.
struct ContentCounts {
  int pairs = 0, same = 0;  // with contrast; with an end point in common
  int smooth = 0;           // without contrast, and without an end point in common
};
ContentCounts count_contents(const TileGrid& grid, uint32_t tile, const std::byte* texture);

// On screens, letters and lines have a uniform background, so that adjacent sub-blocks with some contrast often share
// an end point. In films this is rare.
Content guess_content(const TileGrid& grid, uint32_t tile, const std::byte* texture, const RdParameters& parameters);

}  // namespace texcast::compact
