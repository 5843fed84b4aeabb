// pixels.h — formats that are not compressed, and Y'CbCr in BC1's blocks: what texcast receives and never encodes.
#pragma once

#include <cstdint>
#include <span>

#include "texcast/format.h"

namespace texcast::ref {

// R G B of a texture of uyvy, yuyv, rgba8, rgb8 or bgr8 (else misuse), width * height * 3 bytes. The second pixel of a
// pair takes the mean of its own chroma and the next pair's, the last one its own.
void decode_pixels(const TextureView& texture, std::span<uint8_t> rgb);

// In place, of width * height * 3 bytes.
void ycbcr_to_rgb(const ColorSpec& color, std::span<uint8_t> pixels);

}  // namespace texcast::ref
