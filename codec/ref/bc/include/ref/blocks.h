// blocks.h — the blocks that every reference encoder and decoder works on.
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
