// bc4.h — BC4 (RGTC1) blocks: one channel, two 8-bit end points and 3-bit indices; docs/format.md defines the bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ref/blocks.h"
#include "texcast/format.h"
#include "texcast/quality.h"

namespace texcast::ref {

using Bc4Block = std::array<uint8_t, 8>;

// End points are the largest and smallest value; eight-value order; each texel takes the exactly nearest value.
Bc4Block encode_bc4_range(const ChannelBlock& texels);

// The same, then one straight-line least-squares fit of the end points to the chosen indices, kept if the error is
// smaller.
Bc4Block encode_bc4_refined(const ChannelBlock& texels);

// By least squares, in either order: 0 and 255 stay exact beside values in between. `method` sets the effort and must
// be one of BC3's (else misuse).
Bc4Block encode_bc4_channel(const ChannelBlock& texels, Method method);

// For samplers that return -1..1: codes of -127..127 for texels of 0..255.
Bc4Block encode_bc4_signed(const ChannelBlock& texels, Method method);

// Decodes both orders (eight values, or six with 0 and 255): the 8-bit values nearest to the exact fractions, or
// truncated as in FFmpeg's decoders.
ChannelBlock decode_bc4(std::span<const uint8_t, 8> block, EndpointExpansion expansion = EndpointExpansion::replicate);

// -1..1 as 0..255, rounded to nearest. A code of -128 is -127.
ChannelBlock decode_bc4_signed(std::span<const uint8_t, 8> block);

}  // namespace texcast::ref
