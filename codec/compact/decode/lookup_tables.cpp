#include "lookup_tables.h"

#include <algorithm>
#include <memory>
#include <mutex>

namespace texcast::compact {
namespace {

void fill_buckets(const SymbolTable& exact, LookupTable& table) {
  for (uint32_t b = 0; b < table.bucket.size(); ++b) {
    const uint32_t low = b << kBucketShift, high = low + (1u << kBucketShift);
    uint32_t most = 0;
    for (int s = 0; s < kSymbols; ++s) {
      const uint32_t start = exact.start[s], count = exact.frequency(s);
      const uint32_t from = std::max(start, low), to = std::min(start + count, high);
      if (to <= from || to - from <= most) continue;
      most = to - from;
      table.bucket[b] = count << 16 | start << 4 | static_cast<uint32_t>(s);
    }
  }
}

// `family`: 0 lossless, then one for each content.
const LookupTables& made_once(size_t family, TableSet set, const CodingTables& exact) {
  static std::array<std::array<std::unique_ptr<LookupTables>, kAllTableSets>, 1 + kContents> all;
  static std::array<std::array<std::once_flag, kAllTableSets>, 1 + kContents> made;
  const auto i = static_cast<size_t>(set);
  std::call_once(made[family][i], [&] {
    auto tables = std::make_unique<LookupTables>();
    tables->exact = &exact;
    for (int c = 0; c < context::kCount; ++c) fill_buckets(exact.of[c], tables->of[c]);
    all[family][i] = std::move(tables);
  });
  return *all[family][i];
}

}  // namespace

const LookupTables& lookup_tables(TableSet set) { return made_once(0, set, coding_tables(set)); }
const LookupTables& lossy_lookup_tables(Content content, TableSet set) {
  return made_once(1 + static_cast<size_t>(content), set, lossy_tables(content, set));
}

}  // namespace texcast::compact
