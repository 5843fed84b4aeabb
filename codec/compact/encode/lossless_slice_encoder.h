// lossless_slice_encoder.h — one unit's half-blocks to bytes: of all that the syntax (slice_syntax.h) has, what costs
// least.
#pragma once

#include <span>

#include "base/bytes.h"
#include "compact/coded_slice.h"
#include "compact/encoder_backend.h"
#include "compact/rans.h"
#include "compact/slice_syntax.h"
#include "compact/tile_grid.h"
#include "reference.h"

namespace texcast::compact {

// Tables other than the program's own, and counts of symbols, a set each: for training.
struct CodingTraining {
  const CodingTables* tables[kTableSets];
  SymbolList::Counts* counts[kTableSets];
};

// Keeps memory between units. One a thread.
class LosslessSliceEncoder {
 public:
  LosslessSliceEncoder();
  explicit LosslessSliceEncoder(const CodingTraining& training);

  // Bytes written, at the end of `memory`; 0: they have no room there.
  size_t encode(const TileGrid& grid, const Slice& slice, const std::byte* texture, const Reference& reference,
                MutableBytes memory);

 private:
  CodingTraining with_;
  SymbolList symbols_;
};

// Tiles in which an area's pixels lie at its vector, which is in pixels, and those of the nearest blocks. `first`: the
// unit's half-blocks in the first component.
void touch_area(const TileGrid& grid, const BlockRect& first, int area_x, int area_y, const MotionVector& v,
                ReferencedTiles& touched);
// The tiles that an inter slice references which a backend coded with those vectors.
void add_touched(const TileGrid& grid, const Slice& slice, const TileVectors& vectors, const BackendSlice& coded,
                 ReferencedTiles& touched);

}  // namespace texcast::compact
