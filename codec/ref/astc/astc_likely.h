// astc_likely.h — the order in which an encoder tries weight grids and partitions.
#pragma once

#include <utility>
#include <vector>

namespace texcast::ref {

// Width and height of grids for side x side texels, the most useful first.
std::vector<std::pair<int, int>> astc_likely_grids(int side, int planes, int partitions);

// Seeds of partitions into two, the likeliest first. No two of them are equal, even with the sides exchanged.
std::vector<int> astc_likely_seeds(int side);

}  // namespace texcast::ref
