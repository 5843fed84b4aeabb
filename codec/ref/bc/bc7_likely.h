// bc7_likely.h — a block's texels on the plane of its two widest axes, and which partitions into two are likely by
// that.
#pragma once

#include <vector>

#include "bc7_moments.h"

namespace texcast::ref::bc7 {

// Of the first `tried` of BC7_LIKELY_PARTITIONS the `count` that leave least, the likeliest first.
std::vector<int> likely_pairs(const Texels16& texels, const Moments& all, int tried, int count);

}  // namespace texcast::ref::bc7
