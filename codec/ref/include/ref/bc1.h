// bc1.h — BC1 (DXT1, S3TC) blocks: 5-6-5 end points and 2-bit indices; docs/format.md has the bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ref/blocks.h"
#include "texcast/decoder.h"

namespace texcast::ref {

using Bc1Block = std::array<uint8_t, 8>;

// Range fit: bounding box of the colours, drawn in by 1/16, along the diagonal that the colours follow
// (J.M.P. van Waveren, "Real-Time DXT Compression", 2006, with the diagonal chosen by covariance signs).
Bc1Block encode_bc1_range(const RgbBlock& texels);

// LSpiro step 1: in each channel a straight line through the sorted distinct 5/6-bit values
// (I. Perminov, "Online compression of visual data on GPU", section 2.3, after L. Spiro 2011).
Bc1Block encode_bc1_lspiro1(const RgbBlock& texels);

RgbBlock decode_bc1(std::span<const uint8_t, 8> block, EndpointExpansion expansion);

}  // namespace texcast::ref
