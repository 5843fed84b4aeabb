#include "lookup_tables.h"

#include <algorithm>
#include <memory>
#include <mutex>

namespace texcast::compact {
namespace {

void fill_buckets(const SymbolTable& plain, FastTable& fast) {
  for (uint32_t b = 0; b < fast.bucket.size(); ++b) {
    const uint32_t low = b << kBucketShift, high = low + (1u << kBucketShift);
    uint32_t most = 0;
    for (int s = 0; s < kSymbols; ++s) {
      const uint32_t start = plain.start[s], count = plain.frequency(s);
      const uint32_t from = std::max(start, low), to = std::min(start + count, high);
      if (to <= from || to - from <= most) continue;
      most = to - from;
      fast.bucket[b] = count << 16 | start << 4 | static_cast<uint32_t>(s);
    }
  }
}

// Of one set of each kind: lossless units', and of each content.
const FastTables& made_once(size_t kind, TableSet set, const CodingTables& plain) {
  static std::array<std::array<std::unique_ptr<FastTables>, kTableSets>, 1 + kContents> all;
  static std::array<std::array<std::once_flag, kTableSets>, 1 + kContents> made;
  const auto i = static_cast<size_t>(set);
  std::call_once(made[kind][i], [&] {
    auto tables = std::make_unique<FastTables>();
    tables->plain = &plain;
    for (int c = 0; c < context::kCount; ++c) fill_buckets(plain.of[c], tables->of[c]);
    all[kind][i] = std::move(tables);
  });
  return *all[kind][i];
}

}  // namespace

const FastTables& fast_tables(TableSet set) { return made_once(0, set, coding_tables(set)); }
const FastTables& fast_lossy_tables(Content content, TableSet set) {
  return made_once(1 + static_cast<size_t>(content), set, lossy_tables(content, set));
}

}  // namespace texcast::compact
