// transform_training.h — trains the tables of transform slices.
#pragma once

#include <array>

#include "compact/rans.h"
#include "compact/tables.h"
#include "compact/tile_grid.h"
#include "compact/transform_syntax.h"

namespace texcast::compact {

// Tables instead of the built-in ones, and counts of symbols, by range and TableSet: to train tables.
struct TransformTraining {
  struct Set {
    const CodingTables* tables = nullptr;  // nullptr: the built-in ones
    SymbolList::Counts* counts = nullptr;  // nullptr: symbols are not counted
  };
  std::array<std::array<Set, kTableSets>, kTransformRanges> sets{};
};

}  // namespace texcast::compact
