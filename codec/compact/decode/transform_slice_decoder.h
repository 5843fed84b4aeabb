// transform_slice_decoder.h — decodes transform slices: lossy slices of macroblocks, which have a prediction and a
// transformed residual.
#pragma once

#include "base/bytes.h"
#include "compact/tile_grid.h"
#include "compact/transform_reconstruction.h"
#include "slice_decoder.h"

namespace texcast::compact {

// Whether the bytes of a lossy slice begin as those of a transform slice: its content_class says so. Other slices are
// the affair of decode_slice() itself, and of reconstruction backends.
bool is_transform_slice(Bytes coded, bool intra);

// As decode_slice(), for such a slice. False too if `frames` lacks samples.
bool decode_transform_slice(const TileGrid& grid, const Slice& slice, Bytes coded, const TransformFrames& frames,
                            ReferenceReads* reads);

}  // namespace texcast::compact
