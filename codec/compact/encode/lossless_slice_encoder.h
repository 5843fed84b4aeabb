// lossless_slice_encoder.h — encodes one lossless slice. Each sub-block gets the coding of the fewest bits of all that
// the syntax (slice_syntax.h) has.
#pragma once

#include <span>

#include "base/bytes.h"
#include "compact/coded_slice.h"
#include "compact/encoder_backend.h"
#include "compact/rans.h"
#include "compact/slice_syntax.h"
#include "compact/tile_grid.h"
#include "reference.h"
#include "transform_training.h"

namespace texcast::compact {

// Tables instead of the built-in ones, and counts of symbols, for each table set: to train tables.
struct CodingTraining {
  const CodingTables* tables[kAllTableSets];  // nullptr: the built-in ones
  SymbolList::Counts* counts[kAllTableSets];  // nullptr: symbols are not counted
  TransformTraining transform{};
};

// Keeps memory between slices. Not thread-safe.
class LosslessSliceEncoder {
 public:
  LosslessSliceEncoder();
  explicit LosslessSliceEncoder(const CodingTraining& training);

  // Returns the number of bytes written at the end of `memory`; 0: there is not enough room.
  size_t encode(const TileGrid& grid, const Slice& slice, const std::byte* texture, const Reference& reference,
                MutableBytes memory);

 private:
  const CodingTables& tables_of(TableSet set) const;
  void put_vectors(const TileGrid& grid, const BlockRect& first, std::span<const MotionVector> vectors,
                   ReferencedTiles* referenced, std::span<MotionVector> coded);

  CodingTraining with_;
  SymbolList symbols_;
};

// Adds the tiles that have the pixels at a partition's vector, which is in pixels, and those of the nearest blocks of
// any component. `first`: the slice's blocks in the first component.
void add_partition(const TileGrid& grid, const BlockRect& first, int partition_x, int partition_y,
                   const MotionVector& v, ReferencedTiles& referenced);
// Adds the tiles that an inter slice references which a backend coded with those vectors, which are of the whole tile.
void add_referenced(const TileGrid& grid, const Slice& slice, const TileVectors& vectors, const BackendSlice& coded,
                    ReferencedTiles& referenced);

}  // namespace texcast::compact
