// motion_candidates.h — vectors of a tile: those of its partitions, and those that its sub-blocks are found at in the
// reference frame.
#pragma once

#include <array>
#include <cstdint>

#include "compact/motion_vector.h"

namespace texcast::compact {

using TileVectors = std::array<MotionVector, 8>;  // of a tile's areas, four in a row, in pixels

// A vector in half-blocks, and how many of a tile's moved by it; of none, votes is 0.
struct MotionCandidate {
  MotionVector blocks;
  uint32_t votes = 0;
  bool operator==(const MotionCandidate&) const = default;
};
// Those of a tile with the most votes, the first one before; of as many votes the shorter vector (|x| + |y|) comes
// first, then the one of smaller y, then of smaller x.
using MotionCandidates = std::array<MotionCandidate, 2>;

}  // namespace texcast::compact
