// bc7_bits.h — a block's 128 bits from what was chosen for it.
#pragma once

#include "bc7_block.h"
#include "ref/bc7.h"

namespace texcast::ref::bc7 {

using Indices = std::array<int, 16>;

// `apart`: of modes 4 and 5, the indices of the channel that has its own.
Bc7Block pack(const Choice& choice, const Indices& indices, const Indices& apart);

// One colour, exactly.
Bc7Block flat_block(const Channels& texel);

}  // namespace texcast::ref::bc7
