// motion_candidates.h — motion vectors of a tile: those of its partitions, and candidates from hash-based search.
#pragma once

#include <array>
#include <cstdint>

#include "compact/motion_vector.h"

namespace texcast::compact {

using TileVectors = std::array<MotionVector, 8>;  // of a tile's partitions, four in a row

// A vector at which samples of a tile are found again in the reference frame. Lossless streams: samples are sub-blocks,
// and the vector is in sub-blocks. Lossy streams: samples are windows of 8 x 8 pixels, and the vector is in pixels.
struct MotionCandidate {
  MotionVector vector;
  uint32_t matches = 0;  // the number of these samples; 0: there is no candidate
  bool operator==(const MotionCandidate&) const = default;
};
// The two candidates of a tile with the most matches, the best first. Ties: the shorter vector (|x| + |y|) comes first,
// then the one with the smaller y, then the one with the smaller x.
using MotionCandidates = std::array<MotionCandidate, 2>;

}  // namespace texcast::compact
