// fast_unit_decoder.h — what unit_decoder.h gives, several times as fast: the same half-blocks and the same answer for
// any bytes.
#pragma once

#include "unit_decoder.h"

namespace texcast::compact {

// As decode_unit().
bool decode_unit_fast(const TileGrid& grid, const Unit& unit, Bytes coded, bool lossy, const std::byte* before,
                      std::byte* texture, TilesRead* read);

}  // namespace texcast::compact
