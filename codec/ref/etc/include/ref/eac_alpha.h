// eac_alpha.h — the alpha half of ETC2 RGBA: EAC of 8 bits; docs/format.md defines the bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ref/blocks.h"
#include "texcast/quality.h"

namespace texcast::ref {

using EacBlock = std::array<uint8_t, 8>;

ChannelBlock decode_eac_alpha(std::span<const uint8_t, 8> block);

// `method` as for encode_etc2().
EacBlock encode_eac_alpha(const ChannelBlock& texels, Method method);

}  // namespace texcast::ref
