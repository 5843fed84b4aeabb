// bc7_likely.h — the projection of a block's texels onto the plane of its two widest axes, and the partitions into two
// that are likely by it.
#pragma once

#include <vector>

#include "bc7_moments.h"

namespace texcast::ref::bc7 {

// Among the first `tried` of BC7_LIKELY_PARTITIONS the `count` with the least residual, the likeliest first.
std::vector<int> likely_pairs(const Texels16& texels, const Moments& all, int tried, int count);

}  // namespace texcast::ref::bc7
