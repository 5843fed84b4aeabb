// rd_slice_writer.h — the symbols of a whole lossy slice of one tile or sub-slice, in the order of docs/compact.md.
#pragma once

#include <array>

#include "compact/coded_slice.h"
#include "compact/content.h"
#include "compact/motion_vector.h"
#include "compact/rans.h"
#include "compact/tile_grid.h"
#include "lossless_slice_encoder.h"
#include "rd_slice.h"
#include "rd_symbols.h"

namespace texcast::compact {

using TrainingOfContent = std::array<CodingTraining, kContents>;

// The content whose tables code the slice in the fewest bits.
Content cheapest_content(const TrainingOfContent& with, const RdSlice& coded, const Slice& slice,
                         const SubBlockSymbols& symbols);
// Appends the slice's symbols to `list`, with the tables of coded.head.content. `referenced` (may be nullptr) gets the
// tiles of the reference frame that the partitions' vectors reach.
void list_symbols(const TrainingOfContent& with, const RdSlice& coded, const Slice& slice,
                  const SubBlockSymbols& symbols, ReferencedTiles* referenced, SymbolList& list);
// Adds the tiles that the vectors of a whole tile's partitions reach, in half pixels.
void add_referenced(const TileGrid& grid, uint32_t tile, const TileVectors& vectors, ReferencedTiles& referenced);

}  // namespace texcast::compact
