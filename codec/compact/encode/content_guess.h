// content_guess.h — as what a tile's first frame is probably coded best: later ones know what it was coded as last.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compact/content.h"
#include "compact/rd_parameters.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Letters and lines stand on a ground of one colour: half-blocks beside each other that have some contrast have an end
// point in common there. In films the same value seldom comes again.
Content guess_content(const TileGrid& grid, uint32_t tile, const std::byte* texture, const RdParameters& target);

}  // namespace texcast::compact
