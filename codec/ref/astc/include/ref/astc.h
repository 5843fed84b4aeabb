// ref/astc.h — decodes two-dimensional ASTC blocks of the LDR profile: 16 bytes for 4x4 to 12x12 texels.
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

// The kind of a block.
enum class AstcBlockKind : uint8_t {
  ldr,      // including blocks of one colour
  hdr,      // with end points or a colour that only the HDR profile has
  invalid,  // reserved or inconsistent bits
};

struct AstcSize {
  int width = 4, height = 4;  // texels of a block, each 4 to 12
  bool operator==(const AstcSize&) const = default;
};

// Decodes R'G'B'A of the block's texels, row by row, by the 8-bit decode mode: the upper half of the 16-bit
// interpolation. `srgb`: by the rule for sRGB textures, which expand end points in another way; the values stay in the
// curve. Texels that the LDR profile cannot decode get its error colour, (255, 0, 255, 255): all of an invalid block,
// and those of a partition with HDR end points. Misuse unless there are width * height `texels`.
AstcBlockKind decode_astc(std::span<const uint8_t, 16> block, AstcSize size, bool srgb, std::span<AstcRgba> texels);

}  // namespace texcast::ref
