// sample_slice_decoder.h — decodes sample slices (sample_syntax.h): exact samples, and the sub-blocks that
// belong to them.
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "compact/sample_planes.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Writes the sub-blocks of a tile or sub-slice in `texture`, and its samples. The bytes may be anything. False: they
// are not valid, or the grid has no samples, or `samples` is nullptr; sub-blocks and samples are undefined then.
bool decode_sample_slice(const TileGrid& grid, const Slice& slice, Bytes coded, std::byte* texture,
                         SamplePlanes* samples);

}  // namespace texcast::compact
