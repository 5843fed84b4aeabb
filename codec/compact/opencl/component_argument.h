// component_argument.h — a component as an argument of kernels.
#pragma once

#include "compact/tile_grid.h"
#include "kernels/compact.h"

namespace texcast::compact {

texcast_component component_argument(const compact::TileGrid& grid, const compact::Component& component);

}  // namespace texcast::compact
