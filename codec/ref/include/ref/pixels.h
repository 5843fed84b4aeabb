// pixels.h — Y'CbCr to R'G'B': pairs of pixels that share their chroma, and BC1's blocks of it.
#pragma once

#include <cstdint>
#include <span>

#include "texcast/format.h"

namespace texcast::ref {

// R G B of a texture of pairs of pixels (Coding::is_pair, else misuse), width * height * 3 bytes. The second pixel of a pair
// takes the mean of its own chroma and the next pair's, the last one its own.
void decode_pairs(const TextureView& texture, std::span<uint8_t> rgb);

// In place, of width * height * 3 bytes.
void ycbcr_to_rgb(const ColorSpec& color, std::span<uint8_t> pixels);

}  // namespace texcast::ref
