// bc7_encode.h — the two ways to encode a block of more than one colour.
#pragma once

#include "bc7_block.h"
#include "ref/bc7.h"

namespace texcast::ref::bc7 {

// Few modes, each fitted once: bc7_refine.cpp.
Bc7Block refine(const Texels16& texels, bool is_opaque, int method);

// All modes with many partitions: bc7_search.cpp.
Bc7Block search(const Texels16& texels, bool is_opaque, int method);

}  // namespace texcast::ref::bc7
