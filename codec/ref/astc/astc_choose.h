// astc_choose.h — which lines and which layouts of a block's bits are worth fitting, by estimates.
#pragma once

#include <vector>

#include "astc_lines.h"
#include "texcast/method.h"

namespace texcast::ref::astc {

struct Choice {
  int kind = TEXCAST_ASTC_SINGLE;
  int parameter = 0;
  int layout = 0;
  float estimate = 3e38F;
};

// The TEXCAST_ASTC_KEPT best, best first.
std::vector<Choice> choose(const LineFinder& finder, const Texels& texels, const Tables& tables, Method method);

}  // namespace texcast::ref::astc
