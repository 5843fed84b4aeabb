// unit_encoder.h — one unit's half-blocks to bytes: of all that the syntax (unit_syntax.h) has, what costs least.
#pragma once

#include <span>

#include "base/bytes.h"
#include "block_places.h"
#include "compact/coded_unit.h"
#include "compact/mode_decider.h"
#include "compact/tile_grid.h"
#include "rans.h"
#include "unit_syntax.h"

namespace texcast::compact {

// What units are coded against.
struct Reference {
  const std::byte* texture = nullptr;       // the frame before, whole; nullptr: nothing, the unit is coded alone
  const BlockPlaces* places = nullptr;      // where it has which half-block, a component each
  std::span<const Vector> vectors{};        // of the unit's areas, four in a row, in pixels
  std::span<const uint8_t> lambda_parts{};  // of lossy units' areas (area_lambda.h); empty: all whole
  TilesTouched* touched = nullptr;          // is told of all that is coded against; may be nullptr
};

// Tables other than the program's own, and counts of symbols, a set each: for training.
struct CodingTraining {
  const CodingTables* tables[kTableSets];
  SymbolList::Counts* counts[kTableSets];
};

// Keeps memory between units. One a thread.
class UnitEncoder {
 public:
  UnitEncoder();
  explicit UnitEncoder(const CodingTraining& training);

  // Bytes written, at the end of `memory`; 0: they have no room there.
  size_t encode(const TileGrid& grid, const Unit& unit, const std::byte* texture, const Reference& reference,
                MutableBytes memory);

 private:
  CodingTraining with_;
  SymbolList symbols_;
};

// Tiles in which an area's pixels lie at its vector, which is in pixels, and those of the nearest blocks. `first`: the
// unit's half-blocks in the first component.
void touch_area(const TileGrid& grid, const BlockRect& first, int area_x, int area_y, const Vector& v,
                TilesTouched& touched);
// What a unit against the frame before was coded against, where somebody else has coded it.
void add_touched(const TileGrid& grid, const Unit& unit, const DecidedUnit& decided, TilesTouched& touched);

}  // namespace texcast::compact
