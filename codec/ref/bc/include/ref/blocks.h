// blocks.h — the block types of all reference encoders and decoders.
#pragma once

#include <array>
#include <cstdint>

namespace texcast::ref {

// 4x4 texels, texel i in column i % 4 of row i / 4.
using ChannelBlock = std::array<int, 16>;  // 0..255

struct RgbBlock {
  ChannelBlock r, g, b;
};

}  // namespace texcast::ref
