// sample_frame.h — bytes to measure with.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "texcast/frame.h"

namespace texcast::tuner {

// Smooth colours with some noise: no encoder's best case and none's worst. The same bytes in every run; `seed` makes
// another frame.
void fill_sample(const FrameFormat& format, MutableBytes bytes, unsigned seed = 1);

}  // namespace texcast::tuner
