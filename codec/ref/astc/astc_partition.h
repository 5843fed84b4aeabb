// astc_partition.h — the partition, of two to four, that a texel belongs to (section 23.21).
#pragma once

#include <cstdint>

#include "ref/astc.h"

namespace texcast::ref {

// `seed` is the block's partition index, 0..1023; `partitions` 2 to 4. The result is 0..partitions - 1.
int astc_partition(int seed, int x, int y, int partitions, AstcSize size);

// A bit for each texel, row by row, that is in the second of two partitions. side * side is 64 at most.
uint64_t astc_second_part(int seed, int side);

}  // namespace texcast::ref
