// conceal.h — what is missing of a frame, filled from the frame before. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "transport/stream.h"

namespace texcast::transport {

// Fills what of `frame` is not in `present` (ranges in order, apart, inside it), every hole widened to whole units of
// `unit_bytes`, from the same place in `previous` (zero where that ends). A unit of which a part is missing is replaced
// whole: half of one block and half of another decode to neither. `filled` gets where that was, in order, apart from
// one another. Gives the bytes filled.
uint64_t conceal(MutableBytes frame, std::span<const ByteRange> present, Bytes previous, size_t unit_bytes,
                 std::vector<ByteRange>& filled);

}  // namespace texcast::transport
