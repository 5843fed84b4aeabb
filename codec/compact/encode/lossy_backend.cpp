#include "compact/lossy_backend.h"

#include "compact/tables.h"
#include "source_texels.h"

namespace texcast::compact {

RdCosts rd_costs(const TileGrid& grid, int component) {
  const Component& of = grid.component(component);
  RdCosts prices{.weight = weight_of(grid, component)};
  static_assert(prices.least_range.size() == kQuantisers);
  for (int quantiser = 0; quantiser < kQuantisers; ++quantiser)
    prices.least_range[static_cast<size_t>(quantiser)] = least_range_of(of, quantiser);
  for (int content = 0; content < kContents; ++content) {
    const CodingTables& tables = lossy_tables(static_cast<Content>(content), of.tables);
    prices.costs[static_cast<size_t>(content)] = {tables.cost.front().data(), tables.cost.size() * kSymbols};
    prices.least_costs[static_cast<size_t>(content)] = tables.least_cost;
  }
  return prices;
}

}  // namespace texcast::compact
