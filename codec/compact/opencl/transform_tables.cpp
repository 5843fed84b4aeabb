#include "transform_tables.h"

#include "compact/contexts.h"
#include "compact/transform_syntax.h"
#include "device_memory.h"
#include "kernels/compact.h"

namespace texcast::compact {

int transform_context_of(int kernel_context) {
  const int literal = kernel_context - TEXCAST_TRANSFORM_LITERAL_CONTEXT;
  if (literal < 0) return kernel_context;
  return literal < context::kLiteral.size ? context::kLiteral.first + literal : -1;
}

TransformTables::TransformTables(const ocl::Device& device, const TileGrid& grid) {
  std::vector<uint16_t> of_costs;
  std::vector<uint32_t> of_slots;
  for (int range = 0; range < kTransformRanges; ++range)
    for (int c = 0; c < kTransformComponents; ++c) {
      const CodingTables& tables = transform_tables(range, grid.component(c).tables);
      for (int i = 0; i < TEXCAST_TRANSFORM_CONTEXTS; ++i) {
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
