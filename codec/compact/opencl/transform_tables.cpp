#include "transform_tables.h"

#include "compact/transform_symbols.h"
#include "device_memory.h"

namespace texcast::compact {

TransformTables::TransformTables(const ocl::Device& device, const TileGrid& grid) {
  std::vector<uint16_t> of_costs;
  std::vector<uint32_t> of_slots;
  for (int range = 0; range < kTransformRanges; ++range)
    for (int c = 0; c < kTransformComponents; ++c) {
      const CodingTables& tables = transform_tables(range, grid.component(c).tables);
      for (int i = 0; i < kListedContexts; ++i) {
        const int context = transform_context_of(i);
        for (size_t symbol = 0; symbol < kSymbols; ++symbol) {
          const size_t at = context < 0 ? 0 : static_cast<size_t>(context);  // any, as it is not used
          const Slots slots = tables.slots[at][symbol];
          of_costs.push_back(tables.cost[at][symbol]);
          of_slots.push_back(static_cast<uint32_t>(slots.start | slots.count << 16));
        }
      }
    }
  costs = constant_buffer(device, of_costs);
  slots = constant_buffer(device, of_slots);
}

}  // namespace texcast::compact
