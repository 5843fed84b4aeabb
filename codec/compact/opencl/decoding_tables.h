// decoding_tables.h — constants with which a device decodes slices.
#pragma once

#include <cstddef>
#include <vector>

#include "compact/tile_grid.h"
#include "ocl/device.h"

namespace texcast::compact {

struct DecodingTables {
  // `grid`: with planes of channels.
  DecodingTables(const ocl::Device& device, const TileGrid& grid);
  cl_int components = 0;
  cl_int sets = 0;          // in a content class, or in a range of quantisers
  cl::Buffer descriptions;  // of the components: texcast_decoded_component
  cl::Buffer buckets, starts;
  cl::Buffer transform_buckets, transform_starts;  // unused unless the grid can_transform()
  std::vector<size_t> sub_blocks;                  // in a tile of each component
};

}  // namespace texcast::compact
