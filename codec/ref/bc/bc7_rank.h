// bc7_rank.h — which partitions are likely, by how far a subset's texels lie off their principal axis.
#pragma once

#include <vector>

#include "bc7_moments.h"

namespace texcast::ref::bc7 {

// A mode's `count` likeliest partitions.
std::vector<int> likely_partitions(const Texels16& texels, const Bc7Mode& mode, int count);

}  // namespace texcast::ref::bc7
