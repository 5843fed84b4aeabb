// astc_choose.h — selects the lines and bit layouts of a block that are worth fitting, by estimates.
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

// Returns the TEXCAST_ASTC_KEPT best choices, best first.
std::vector<Choice> choose(const LineFinder& finder, const Texels& texels, const Tables& tables, Method method);

}  // namespace texcast::ref::astc
