// neighbours.h — the left and the upper neighbour of a sub-block within its slice.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compact/slice_syntax.h"

namespace texcast::compact {

struct Neighbours {
  bool has_left = false, has_above = false;
  NeighbourState left_state, above_state;
  uint64_t left = kNoSubBlock, above = kNoSubBlock;
  // The larger magnitude class of their residuals.
  int largest() const { return std::max<int>(left_state.residual, above_state.residual); }
};

}  // namespace texcast::compact
