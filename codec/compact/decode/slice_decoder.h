// slice_decoder.h — what plain_slice_decoder.h gives, several times as fast: the same half-blocks and the same answer
// for any bytes.
#pragma once

#include "plain_slice_decoder.h"

namespace texcast::compact {

// As decode_slice_plainly().
bool decode_slice(const TileGrid& grid, const Slice& slice, Bytes coded, bool lossy, const std::byte* before,
                  std::byte* texture, ReferenceReads* read);

}  // namespace texcast::compact
