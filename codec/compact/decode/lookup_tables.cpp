#include "lookup_tables.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>

#include "compact/tables_ahead.h"
#include "compact/transform_syntax.h"

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

// `family`: 0 lossless, then one for each content, then one for each range of transform slices. `exact` returns the
// coding tables.
template <typename Exact>
const LookupTables& made_once(size_t family, TableSet set, const Exact& exact) {
  constexpr size_t kFamilies = 1 + kContents + kTransformRanges;
  static std::array<std::array<std::unique_ptr<LookupTables>, kAllTableSets>, kFamilies> all;
  static std::array<std::array<std::once_flag, kAllTableSets>, kFamilies> made;
  const auto i = static_cast<size_t>(set);
  std::call_once(made[family][i], [&] {
    auto tables = std::make_unique<LookupTables>();
    tables->exact = &exact();
    for (int c = 0; c < context::kCount; ++c) fill_buckets(tables->exact->of[c], tables->of[c]);
    all[family][i] = std::move(tables);
  });
  return *all[family][i];
}

}  // namespace

const LookupTables& lookup_tables(TableSet set) {
  return made_once(0, set, [&]() -> const CodingTables& { return coding_tables(set); });
}
const LookupTables& lossy_lookup_tables(Content content, TableSet set) {
  return made_once(1 + static_cast<size_t>(content), set,
                   [&]() -> const CodingTables& { return lossy_tables(content, set); });
}
const LookupTables& transform_lookup_tables(int range, TableSet set) {
  return made_once(1 + kContents + static_cast<size_t>(range), set,
                   [&]() -> const CodingTables& { return transform_tables(range, set); });
}

bool TablesAhead::make_next() {
  constexpr TableSet kLossless[] = {TableSet::color, TableSet::luma};
  constexpr TableSet kLossy[] = {TableSet::luma, TableSet::chroma, TableSet::color};
  constexpr TableSet kTransform[] = {TableSet::luma, TableSet::chroma};
  size_t i = next_++;
  if (i < std::size(kLossless)) return lookup_tables(kLossless[i]), true;
  i -= std::size(kLossless);
  if (i < std::size(kTransform) * kTransformRanges)
    return transform_lookup_tables(static_cast<int>(i) % kTransformRanges, kTransform[i / kTransformRanges]), true;
  i -= std::size(kTransform) * kTransformRanges;
  if (i < std::size(kLossy) * kContents)
    return lossy_lookup_tables(static_cast<Content>(i % kContents), kLossy[i / kContents]), true;
  return false;
}

}  // namespace texcast::compact
