#include "compact/reconstruction_backend.h"

#include <algorithm>

#include "compact/prediction.h"
#include "lookup_tables.h"

namespace texcast::compact {

ReconstructionTables reconstruction_tables(const TileGrid& grid) {
  ReconstructionTables tables;
  std::vector<TableSet> sets;
  for (int i = 0; i < grid.component_count(); ++i) {
    const Component& component = grid.component(i);
    auto at = std::ranges::find(sets, component.tables);
    if (at == sets.end()) at = sets.insert(at, component.tables);
    ReconstructionTables::OfComponent& of = tables.components.emplace_back();
    of.set = static_cast<int>(at - sets.begin());
    static_assert(std::tuple_size_v<decltype(of.least_range)> == kQuantisers);
    for (int quantiser = 0; quantiser < kQuantisers; ++quantiser)
      of.least_range[static_cast<size_t>(quantiser)] = least_range_of(component, quantiser);
  }
  tables.sets = sets.size();
  for (int content = 0; content < kContents; ++content) {
    for (const TableSet set : sets) {
      const LookupTables& lookup = lossy_lookup_tables(static_cast<Content>(content), set);
      for (const LookupTable& table : lookup.of)
        tables.buckets.insert(tables.buckets.end(), table.bucket.begin(), table.bucket.end());
      for (const SymbolTable& table : lookup.exact->of)
        tables.starts.insert(tables.starts.end(), table.start.begin(), table.start.end());
    }
  }
  return tables;
}

}  // namespace texcast::compact
