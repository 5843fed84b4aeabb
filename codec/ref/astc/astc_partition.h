// astc_partition.h — which of two to four partitions a texel belongs to (section 23.21).
#pragma once

#include "ref/astc.h"

namespace texcast::ref {

// `seed` is the block's partition index, 0..1023; `partitions` 2 to 4. The answer is 0..partitions - 1.
int astc_partition(int seed, int x, int y, int partitions, AstcSize size);

}  // namespace texcast::ref
