#include "compact/reconstruction_backend.h"

#include <algorithm>

#include "compact/contexts.h"
#include "compact/prediction.h"
#include "compact/transform_syntax.h"
#include "lookup_tables.h"

namespace texcast::compact {
namespace {

// Appends the tables of some contexts.
void append(const LookupTables& tables, const context::Group& contexts, std::vector<uint32_t>& buckets,
            std::vector<uint16_t>& starts) {
  for (int i = contexts.first; i < contexts.end(); ++i) {
    const LookupTable& lookup = tables.of[static_cast<size_t>(i)];
    const SymbolTable& exact = tables.exact->of[static_cast<size_t>(i)];
    buckets.insert(buckets.end(), lookup.bucket.begin(), lookup.bucket.end());
    starts.insert(starts.end(), exact.start.begin(), exact.start.end());
  }
}

}  // namespace

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
  for (int content = 0; content < kContents; ++content)
    for (const TableSet set : sets)
      append(lossy_lookup_tables(static_cast<Content>(content), set), {0, context::kCount}, tables.buckets,
             tables.starts);
  if (!grid.can_transform()) return tables;
  for (int range = 0; range < kTransformRanges; ++range)
    for (const TableSet set : sets)
      for (const context::Group contexts : {context::Group{0, transform_context::kEnd}, context::kLiteral})
        append(transform_lookup_tables(range, set), contexts, tables.transform_buckets, tables.transform_starts);
  return tables;
}

}  // namespace texcast::compact
