// bc7.h — BC7 (BPTC) blocks: R'G'B' and alpha in 16 bytes, in one of eight modes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ref/blocks.h"
#include "texcast/quality.h"

namespace texcast::ref {

using Bc7Block = std::array<uint8_t, 16>;

// The exact values of the standard. Blocks of the reserved mode, whose first byte is 0, are 0 in all four channels.
struct Bc7Texels {
  RgbBlock color;
  ChannelBlock alpha;
};
Bc7Texels decode_bc7(std::span<const uint8_t, 16> block);

// If alpha is 255 everywhere it stays exactly so; else the error is that of all four channels.
Bc7Block encode_bc7(const Bc7Texels& texels, Method method);

}  // namespace texcast::ref
