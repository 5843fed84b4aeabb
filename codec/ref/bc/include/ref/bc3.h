// bc3.h — BC3 (DXT5) blocks: alpha as a BC4 block, then colour as a BC1 block that always has four colours.
#pragma once

#include <array>
#include <cstdint>

#include "ref/blocks.h"
#include "texcast/quality.h"

namespace texcast::ref {

using Bc3Block = std::array<uint8_t, 16>;

// Encodes each half independently: colour by the method of BC1, regardless of alpha, and alpha by encode_bc4_channel().
Bc3Block encode_bc3(const RgbBlock& texels, const ChannelBlock& alpha, Method method);

}  // namespace texcast::ref
