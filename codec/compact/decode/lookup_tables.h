// lookup_tables.h — tables.h for a decoder: what has a slot, found with one look.
#pragma once

#include <array>
#include <cstdint>

#include "compact/tables.h"

namespace texcast::compact {

inline constexpr int kBucketBits = 5;  // 32 buckets a context: 128 bytes, and nearly every slot is its bucket's
inline constexpr int kBucketShift = kScaleBits - kBucketBits;

// Of one context: of each run of slots the symbol that has the most of them: its slots' number in the upper 16 bits,
// then 12 bits with the first of them, then the symbol.
struct alignas(64) FastTable {
  std::array<uint32_t, 1 << kBucketBits> bucket;
};

struct FastTables {
  std::array<FastTable, context::kCount> of;
  const CodingTables* plain;  // for the other slots
};

// Of lossless or lossy units. Made when a set is first asked for. Thread-safe.
const FastTables& fast_tables(TableSet set);
const FastTables& fast_lossy_tables(Content content, TableSet set);

}  // namespace texcast::compact
