// astc_likely.h — which grids of weights and which partitions an encoder asks first.
#pragma once

#include <utility>
#include <vector>

namespace texcast::ref {

// Width and height of grids for side x side texels, those of most worth first.
std::vector<std::pair<int, int>> astc_likely_grids(int side, int planes, int partitions);

// Seeds of partitions into two, no two of them alike but for which side is which, the likeliest first.
std::vector<int> astc_likely_seeds(int side);

}  // namespace texcast::ref
