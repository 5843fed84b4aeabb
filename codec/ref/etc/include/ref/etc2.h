// etc2.h — ETC1 and ETC2 RGB blocks; docs/format.md defines the bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ref/blocks.h"
#include "texcast/quality.h"

namespace texcast::ref {

using Etc2Block = std::array<uint8_t, 8>;

// Decodes any ETC2 block: individual, differential, T, H, planar. Blocks of ETC1 are the first two of them.
RgbBlock decode_etc2(std::span<const uint8_t, 8> block);

// The same with punch-through alpha: 255, or 0 where the colour is 0 too.
struct PunchThroughBlock {
  RgbBlock color;
  ChannelBlock alpha;
};
PunchThroughBlock decode_etc2_a1(std::span<const uint8_t, 8> block);

// `method` sets the effort (kernels/etc_tables.h): refine_once, refine, cluster, cluster_search.
Etc2Block encode_etc1(const RgbBlock& texels, Method method);  // individual and differential
Etc2Block encode_etc2(const RgbBlock& texels, Method method);  // the best of all five modes

}  // namespace texcast::ref
