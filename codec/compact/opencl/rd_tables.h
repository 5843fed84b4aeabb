// rd_tables.h — constants of lossy coding for the kernels.
#pragma once

#include "component_argument.h"
#include "ocl/device.h"

namespace texcast::compact {

struct RdTables {
  RdTables(const ocl::Device& device, const TileGrid& grid);
  cl::Buffer components;   // texcast_lossy_component
  cl::Buffer costs;        // of symbols: [content][component][context][symbol], in 1/32 bits
  cl::Buffer least_costs;  // of a context's cheapest symbol: [content][component][context]
  cl::Buffer slots;        // of the entropy coder: [content][component][context][symbol]
};

}  // namespace texcast::compact
