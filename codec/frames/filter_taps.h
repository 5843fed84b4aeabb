// filter_taps.h — the weights by which the texels of a row or column make up those of a smaller or larger one.
#pragma once

#include <cstddef>
#include <vector>

#include "frames/mip_filter.h"

namespace texcast {

// Texel i is the sum of weights[i * most + t] * source[first[i] + t] for t in [0, count[i]). The weights have sum 1.
// All texels that are read lie inside the picture: the weights beyond its edge count for the texel at the edge.
struct FilterTaps {
  size_t most = 0;  // of the counts
  std::vector<int> first, count;
  std::vector<float> weights;
};
FilterTaps filter_taps(MipFilter filter, int from, int to);

}  // namespace texcast
