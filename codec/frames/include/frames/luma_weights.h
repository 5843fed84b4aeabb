// luma_weights.h — the shares of red and blue in luma. Green has the rest.
#pragma once

#include "texcast/frame.h"

namespace texcast {

struct LumaWeights {
  double red, blue;
};

// BT.601-7, BT.709-6, BT.2020-2.
LumaWeights luma_weights(ColorMatrix matrix);

}  // namespace texcast
