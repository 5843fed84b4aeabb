#include "rd_tiles.h"

namespace texcast::compact {

void RdTiles::complete_samples(const TileGrid& grid, uint32_t tile, const std::byte* texture) {
  for (uint8_t half = 0; half < 2; ++half)
    if ((of_blocks[tile] >> half & 1) != 0) samples->decode(grid, {tile, 2, half}, texture);
  of_blocks[tile] = 0;
}

}  // namespace texcast::compact
