// ref/astc.h — ASTC blocks of two dimensions, LDR profile: 16 bytes for 4x4 to 12x12 texels.
//
// Source: Khronos Data Format Specification 1.3, section 23 ("ASTC Compressed Texture Image Formats").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace texcast::ref {

inline constexpr int kAstcMaxSide = 12;  // texels
using AstcBlock = std::array<uint8_t, 16>;
using AstcRgba = std::array<int, 4>;  // 0..255

// What one block holds.
enum class AstcBlockKind : uint8_t {
  ldr,      // also blocks of one colour
  hdr,      // end points or a colour that only the HDR profile has
  invalid,  // reserved or contradictory bits
};

struct AstcSize {
  int width = 4, height = 4;  // texels of a block, each 4 to 12
  bool operator==(const AstcSize&) const = default;
};

// R'G'B'A of the block's texels, row by row, by the decode mode of 8 bits: the upper half of what is interpolated
// in 16. `srgb`: by the rule for textures in sRGB's curve, whose end points are widened in another way; the values stay
// in the curve. Texels that the LDR profile cannot decode are its error colour, (255, 0, 255, 255): all of an invalid
// block, and those of a partition whose end points are HDR. Misuse where `texels` are not width * height.
AstcBlockKind decode_astc(std::span<const uint8_t, 16> block, AstcSize size, bool srgb, std::span<AstcRgba> texels);

}  // namespace texcast::ref
