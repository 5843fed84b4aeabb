// etc2.h — ETC1 and ETC2 RGB blocks; docs/format.md has the bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ref/blocks.h"
#include "texcast/quality.h"

namespace texcast::ref {

using Etc2Block = std::array<uint8_t, 8>;

// Any block as ETC2 has it: individual, differential, T, H, planar. Blocks of ETC1 are the first two of them.
RgbBlock decode_etc2(std::span<const uint8_t, 8> block);

// The same with punch-through alpha: 255, or 0 where colour is 0 too.
struct PunchThroughBlock {
  RgbBlock color;
  ChannelBlock alpha;
};
PunchThroughBlock decode_etc2_a1(std::span<const uint8_t, 8> block);

// `method` says how hard to try (kernels/etc_tables.h): refine_once, refine, cluster, cluster_search.
Etc2Block encode_etc1(const RgbBlock& texels, Method method);  // individual and differential
Etc2Block encode_etc2(const RgbBlock& texels, Method method);  // all five modes, the one with the least error

}  // namespace texcast::ref
