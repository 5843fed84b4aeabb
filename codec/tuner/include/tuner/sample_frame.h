// sample_frame.h — a test picture for measurements.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "texcast/frame.h"

namespace texcast::tuner {

// Smooth colours with some noise: neither the best nor the worst case of any encoder. The bytes are the same in every
// run; `seed` selects another frame.
void fill_sample(const FrameFormat& format, MutableBytes bytes, unsigned seed = 1);

}  // namespace texcast::tuner
