#include "component_argument.h"

#include "compact/sub_block_index.h"

namespace texcast::compact {

using compact::Component;
using compact::SubBlockKind;
using compact::TileGrid;

static_assert(static_cast<int>(SubBlockKind::color) == TEXCAST_COLOR &&
              static_cast<int>(SubBlockKind::four_color) == TEXCAST_FOUR_COLOR &&
              static_cast<int>(SubBlockKind::channel) == TEXCAST_CHANNEL);

texcast_component component_argument(const TileGrid& grid, const Component& c) {
  return {.kind = static_cast<int>(c.kind),
          .blocks_x = c.blocks_x,
          .blocks_y = c.blocks_y,
          .across = c.across,
          .down = c.down,
          .first = static_cast<int>(c.offset / 8),
          .step = static_cast<int>(c.stride / 8),
          .tile_columns = c.tile_columns(),
          .tile_rows = c.tile_rows(),
          .tiles_across = grid.across(),
          .index_shift = 64 - compact::sub_block_index_bits(c)};
}

}  // namespace texcast::compact
