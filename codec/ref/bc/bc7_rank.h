// bc7_rank.h — the likely partitions, by the distance of a subset's texels from their principal axis.
#pragma once

#include <vector>

#include "bc7_moments.h"

namespace texcast::ref::bc7 {

// A mode's `count` likeliest partitions.
std::vector<int> likely_partitions(const Texels16& texels, const Bc7Mode& mode, int count);

}  // namespace texcast::ref::bc7
