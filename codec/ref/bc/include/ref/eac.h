// eac.h — EAC R11 blocks: one channel of 11 bits, as a base, a multiplier, one of 16 tables of modifiers and 3-bit
// indices; docs/format.md defines the bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ref/blocks.h"
#include "texcast/quality.h"

namespace texcast::ref {

using EacBlock = std::array<uint8_t, 8>;

// The range of a block's values: 0..2047 for 0..1, or -1023..1023 for -1..1, which is represented as 0..2046 here.
enum class EacRange { unsigned_codes, signed_codes };
constexpr int eac_top(EacRange range) { return range == EacRange::unsigned_codes ? 2047 : 2046; }

// 0..kFineWhite (frames/color.h) as 0..eac_top, rounded to nearest except for a few within 1/1000 of a midpoint.
int eac_value(int fine, EacRange range);
// 0..eac_top as 0..65535, rounded to nearest.
int eac_unorm16(int value, EacRange range);

// Values of 0..eac_top. `method` sets the effort and must be that of a quality (else misuse).
EacBlock encode_eac(const ChannelBlock& values, EacRange range, Method method);

// 0..eac_top. A signed base of -128 is -127.
ChannelBlock decode_eac(std::span<const uint8_t, 8> block, EacRange range);

}  // namespace texcast::ref
