// coded_unit.h — a unit as the encoder gives it and a payload carries it.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

enum class Coding : uint8_t {
  against = 0,  // the frame before
  alone = 1,    // without it
  plain = 2,    // the half-blocks' bytes, component by component, row by row
};

struct CodedUnit {
  Unit unit;
  Coding coding{};
  uint32_t check = 0;  // of what it decodes to (payload.h)
  Bytes bytes;         // never more than its half-blocks have
};

}  // namespace texcast::compact
