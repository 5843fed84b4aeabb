// adaptive_quantisation.h — scales lambda for each partition of a lossy tile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "compact/motion_search.h"

namespace texcast::compact {

// The factor of lambda for each partition of a tile, in 16ths: 16 to 32.
using LambdaWeights = std::array<uint8_t, 8>;
inline constexpr uint8_t kFullLambda = 16;
// That of a partition. `weights`: empty if all are full.
inline int lambda_weight(std::span<const uint8_t> weights, size_t partition) {
  return partition < weights.size() ? weights[partition] : kFullLambda;
}

// Content that later frames will copy is worth more bits than content that soon changes, as its bits are spent only
// once. The weight is estimated from how well motion compensation predicts a partition: from the power of 0.3 of the
// mean squared difference between the source and the previous source at the partition's vector (in half pixels). `rect`
// has the tile's blocks in the planes' component.
LambdaWeights lambda_weights(const BlockRect& rect, const PixelPlane& source, const PixelPlane& previous,
                             std::span<const MotionVector> vectors, int lambda);

}  // namespace texcast::compact
