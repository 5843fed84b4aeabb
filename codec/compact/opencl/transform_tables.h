// transform_tables.h — the tables of transform slices for kernels: [range][component][context][symbol], with contexts
// as in kernels/compact.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compact/tables.h"
#include "compact/tile_grid.h"
#include "ocl/device.h"

namespace texcast::compact {

struct TransformTables {
  // The grid can_transform().
  TransformTables(const ocl::Device& device, const TileGrid& grid);
  cl::Buffer costs;  // ushort: in 1/32 bits
  cl::Buffer slots;  // uint: of the entropy coder
};

}  // namespace texcast::compact
