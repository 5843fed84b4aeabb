#include "compact/rd_costs.h"

#include "compact/tables.h"
#include "source_texels.h"

namespace texcast::compact {

RdCosts rd_costs(const TileGrid& grid, int component) {
  const Component& of = grid.component(component);
  RdCosts costs{.weight = weight_of(grid, component)};
  static_assert(costs.least_range.size() == kQuantisers);
  for (int quantiser = 0; quantiser < kQuantisers; ++quantiser)
    costs.least_range[static_cast<size_t>(quantiser)] = least_range_of(of, quantiser);
  for (int content = 0; content < kContents; ++content) {
    const CodingTables& tables = lossy_tables(static_cast<Content>(content), of.tables);
    costs.costs[static_cast<size_t>(content)] = {tables.cost.front().data(), tables.cost.size() * kSymbols};
    costs.least_costs[static_cast<size_t>(content)] = tables.least_cost;
  }
  return costs;
}

}  // namespace texcast::compact
