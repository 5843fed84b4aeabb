// adaptive_quantisation.h — how much a bit is worth in an area of a lossy unit, beside what the whole stream asks for.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "compact/motion_search.h"

namespace texcast::compact {

// Of an area of a lossy unit how much a bit is worth, in 16ths of lambda: 16 to 32.
using LambdaWeights = std::array<uint8_t, 8>;
inline constexpr uint8_t kFullLambda = 16;

// What the next frames can take over is worth its bits, as they need not tell it again; what soon is something else is
// worth fewer. How much will be taken over is guessed from how well the area's pixels are told by those of the frame
// before at its vector (in half pixels), both as they were given: by the power of 0.3 of what they are off by. `rect`:
// the tile's half-blocks in the planes' component.
LambdaWeights lambda_weights(const BlockRect& rect, const PixelPlane& now, const PixelPlane& before,
                             std::span<const MotionVector> vectors, int lambda);

}  // namespace texcast::compact
