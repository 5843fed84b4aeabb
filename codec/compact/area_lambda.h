// area_lambda.h — how much a bit is worth in an area of a lossy unit, beside what the whole stream asks for.
#pragma once

#include <span>

#include "compact/lossy_chooser.h"
#include "motion.h"

namespace texcast::compact {

// What the next frames can take over is worth its bits, as they need not tell it again; what soon is something else is
// worth fewer. How much will be taken over is guessed from how well the area's pixels are told by those of the frame
// before at its vector (in half pixels), both as they were given: by the power of 0.3 of what they are off by. `rect`:
// the tile's half-blocks in the planes' component.
LambdaParts lambda_parts(const BlockRect& rect, const PixelPlane& now, const PixelPlane& before,
                         std::span<const Vector> vectors, int lambda);

}  // namespace texcast::compact
