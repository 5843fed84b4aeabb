// put_picture.h — a decoded picture in the pixel formats of cameras.
#pragma once

#include <span>

#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/image.h"

namespace texcast::ref {

// Converts to full-range R'G'B' of 8 bits: gray is repeated, missing channels are 0, alpha is dropped, half floats are
// tone-mapped (frames/tone_map.h). `color`: of the texture.
void to_rgb_bytes(const DecodedImage& image, const ColorSpec& color, DecodedImage& rgb);

// Writes the picture's upper left part as a frame of `to`, which is_camera_format() and not larger than the picture, as
// place_tightly() lays it out and yuv_conversion() defines its values. Chroma is the mean over the texels that share
// it, the picture's edge being repeated for odd sizes. The fourth byte of bgra is 255. Throws Error{misuse} unless
// `rgb` is R G B of 8 bits, and `out` has the frame's size.
void put_picture(const DecodedImage& rgb, const FrameFormat& to, std::span<std::byte> out);

}  // namespace texcast::ref
