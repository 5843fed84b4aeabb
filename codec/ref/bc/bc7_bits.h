// bc7_bits.h — packs the 128 bits of a block.
#pragma once

#include "bc7_block.h"
#include "ref/bc7.h"

namespace texcast::ref::bc7 {

using Indices = std::array<int, 16>;

// `apart`: for modes 4 and 5, the indices of the channel that has its own.
Bc7Block pack(const Choice& choice, const Indices& indices, const Indices& apart);

// A block of one colour, exact.
Bc7Block flat_block(const Channels& texel);

}  // namespace texcast::ref::bc7
