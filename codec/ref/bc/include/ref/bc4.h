// bc4.h — BC4 (RGTC1) blocks: one channel, two 8-bit end points and 3-bit indices; docs/format.md has the bits.
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

// The same, then one straight-line least-squares fit of the end points to the chosen indices, kept where the error
// is smaller.
Bc4Block encode_bc4_refined(const ChannelBlock& texels);

// By least squares, in either order: 0 and 255 stay exact beside values between. `method` says how hard to try; those
// that BC3 has (else misuse).
Bc4Block encode_bc4_channel(const ChannelBlock& texels, Method method);

// For samplers of -1..1: codes of -127..127 for texels of 0..255.
Bc4Block encode_bc4_signed(const ChannelBlock& texels, Method method);

// Both orders (eight values, or six with 0 and 255): the exact fractions' nearest 8-bit values, or cut off as FFmpeg's
// decoders do.
ChannelBlock decode_bc4(std::span<const uint8_t, 8> block, EndpointExpansion expansion = EndpointExpansion::replicate);

// -1..1 as 0..255, to the nearest. A code of -128 is -127.
ChannelBlock decode_bc4_signed(std::span<const uint8_t, 8> block);

}  // namespace texcast::ref
