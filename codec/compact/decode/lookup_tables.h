// lookup_tables.h — the decoder's form of the entropy coder's tables: one load finds the symbol of nearly every slot.
#pragma once

#include <array>
#include <cstdint>

#include "compact/tables.h"

namespace texcast::compact {

inline constexpr int kBucketBits =
    5;  // 32 buckets are 128 bytes a context, and nearly every slot has its bucket's symbol
inline constexpr int kBucketShift = kScaleBits - kBucketBits;

// The table of one context. Slots are grouped into buckets of equal size. A bucket has the symbol with the most slots
// in it: bits 16 and up are the symbol's frequency, bits 4 to 15 its first slot, bits 0 to 3 the symbol.
struct alignas(64) LookupTable {
  std::array<uint32_t, 1 << kBucketBits> bucket;
};

struct LookupTables {
  std::array<LookupTable, context::kCount> of;
  const CodingTables* exact;  // for slots that have another symbol than their bucket
};

// The tables of lossless and of lossy slices. Each set is made on its first use. Thread-safe.
const LookupTables& lookup_tables(TableSet set);
const LookupTables& lossy_lookup_tables(Content content, TableSet set);
// Those of transform slices, as transform_tables().
const LookupTables& transform_lookup_tables(int range, TableSet set);

}  // namespace texcast::compact
