// etc2_modes.h — the modes that ETC2 adds, each with its error.
#pragma once

#include "etc1_fit.h"

namespace texcast::ref::etc {

// The best of T, with either colour as the single one, and H; estimated or fitted as halves are.
Coded estimated_pairs(const RgbBlock& texels, int effort);
Coded fitted_pairs(const RgbBlock& texels, int effort);
Coded planar(const RgbBlock& texels, int effort);

}  // namespace texcast::ref::etc
