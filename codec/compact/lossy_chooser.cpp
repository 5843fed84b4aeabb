#include "compact/lossy_chooser.h"

#include "sampled_windows.h"
#include "source_texels.h"
#include "tables.h"

namespace texcast::compact {

LossyPrices lossy_prices(const TileGrid& grid, int component) {
  const Component& of = grid.component(component);
  LossyPrices prices{.weight = weight_of(grid, component)};
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

std::vector<uint32_t> lossy_slots(Content content, TableSet set) {
  std::vector<uint32_t> slots;
  for (const auto& of_context : lossy_tables(content, set).slots)
    for (const Slots& of_symbol : of_context)
      slots.push_back(static_cast<uint32_t>(of_symbol.start | of_symbol.count << 16));
  return slots;
}

int windows_bits(const TileGrid& grid) {
  const Component& first = grid.component(0);
  return SampledWindows::bits(static_cast<size_t>(first.blocks_x) * static_cast<size_t>(first.blocks_y) * 16);
}

}  // namespace texcast::compact
