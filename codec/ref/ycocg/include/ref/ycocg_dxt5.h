// ycocg_dxt5.h — scaled YCoCg in BC3 blocks ("YCoCg-DXT5", Hap Q); docs/format.md defines the bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ref/blocks.h"
#include "texcast/format.h"
#include "texcast/quality.h"

namespace texcast::ref {

using YcocgDxt5Block = std::array<uint8_t, 16>;  // luma as a BC4 block, then Co, Cg and scale as a BC1 block

// The format is J.M.P. van Waveren's and I. Castano's ("Real-Time YCoCg-DXT Compression", 2007); end points are fitted.
// Chroma comes first, by least squares in the plane of Co and Cg, with the scale of the smallest error. Then luma is
// fitted to the mean of the remaining errors of R, G and B, so that it compensates a part of the chroma's error.
//   refine_once     one fit of chroma, one of luma
//   refine          one more of chroma, four of luma from different starts
//   cluster         one more of chroma, eight of luma; six-value luma if texels are near black or white
//   cluster_search  more of each, and a search among the neighbouring end points
YcocgDxt5Block encode_ycocg_dxt5(const RgbBlock& texels, Method method);

// `replicate` is exact in the scaled colours and rounds once, as texture units and shaders do; `ffmpeg` truncates at
// every step, as FFmpeg's Hap decoder does (about 0.5 lower in each channel).
RgbBlock decode_ycocg_dxt5(std::span<const uint8_t, 16> block, EndpointExpansion expansion);

}  // namespace texcast::ref
