// bc1.h — BC1 (DXT1, S3TC) blocks: 5-6-5 end points and 2-bit indices; docs/format.md defines the bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ref/blocks.h"
#include "texcast/format.h"

namespace texcast::ref {

using Bc1Block = std::array<uint8_t, 8>;

// Range fit: bounding box of the colours, reduced by 1/16, along the diagonal that the colours follow (J.M.P. van
// Waveren, "Real-Time DXT Compression", 2006, with the diagonal chosen by covariance signs).
Bc1Block encode_bc1_range(const RgbBlock& texels);

// LSpiro step 1: in each channel a straight line through the sorted distinct 5/6-bit values (I. Perminov, "Online
// compression of visual data on GPU", section 2.3, after L. Spiro 2011).
Bc1Block encode_bc1_lspiro1(const RgbBlock& texels);

// Also step 2: regression of the difference between the block and its reconstruction, `passes` times, of which the best
// is kept; nearly flat blocks also try end points whose 2/3 point is their mean colour. Each texel takes its nearest
// palette colour, so that the error is exact. MethodOptions defines the ranges.
Bc1Block encode_bc1_lspiro2(const RgbBlock& texels, int passes);

// Also step 3: the best of all end points within `radius` codes, repeated from there until none is better.
Bc1Block encode_bc1_lspiro3(const RgbBlock& texels, int passes, int radius);

// Indices by place along an axis of the colours, one least-squares fit of the end points to them, and the indices for
// these; nearly flat blocks take end points whose 2/3 point is their mean colour.
Bc1Block encode_bc1_refined_once(const RgbBlock& texels);

// The same along the principal axis, and a second fit whose end points are rounded in pairs; the better of the two.
Bc1Block encode_bc1_refined(const RgbBlock& texels);

// Cluster fit (S. Brown 2006; I. Castano, "High Quality DXT Compression using CUDA", 2007): among all 965 ways to split
// the texels, sorted along their principal axis, into four clusters, the one with the smallest error. Here every split
// is first judged by one number on the axis, and the best of each of 16 groups of splits by least squares in colour
// with rounded end points.
Bc1Block encode_bc1_cluster(const RgbBlock& texels);

// The likely clusterings into four and into three, then a search of the 5-6-5 neighbourhood of the four best pairs of
// end points. Three-colour blocks use index 3 only if `allow_black`; then the texture must be read as RGB (index 3 is
// black, but transparent where BC1 is read with alpha).
Bc1Block encode_bc1_cluster_search(const RgbBlock& texels, bool allow_black = false);
// The same for the colour block of BC3, which always has four colours.
Bc1Block encode_bc3_color_cluster_search(const RgbBlock& texels);

RgbBlock decode_bc1(std::span<const uint8_t, 8> block, EndpointExpansion expansion);
// The colour block of BC3: the same, with four colours in either order of the end points.
RgbBlock decode_bc3_color(std::span<const uint8_t, 8> block, EndpointExpansion expansion);

}  // namespace texcast::ref
