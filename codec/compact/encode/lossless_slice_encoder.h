// lossless_slice_encoder.h — one unit's half-blocks to bytes: of all that the syntax (slice_syntax.h) has, what costs
// least.
#pragma once

#include <span>

#include "base/bytes.h"
#include "compact/coded_slice.h"
#include "compact/lossless_backend.h"
#include "compact/rans.h"
#include "compact/slice_syntax.h"
#include "compact/sub_block_index.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// What units are coded against.
struct Reference {
  const std::byte* texture = nullptr;         // the frame before, whole; nullptr: nothing, the unit is coded alone
  const SubBlockIndex* places = nullptr;      // where it has which half-block, a component each
  std::span<const MotionVector> vectors{};    // of the unit's areas, four in a row, in pixels
  std::span<const uint8_t> lambda_weights{};  // of lossy units' areas (adaptive_quantisation.h); empty: all whole
  ReferencedTiles* touched = nullptr;         // is told of all that is coded against; may be nullptr
};

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
// What a unit against the frame before was coded against, where somebody else has coded it.
void add_touched(const TileGrid& grid, const Slice& slice, const BackendSlice& decided, ReferencedTiles& touched);

}  // namespace texcast::compact
