// stream_description.h — all that a page must know to draw a stream: sizes, textures, shaders.
#pragma once

#include <string>
#include <string_view>

#include "texcast/format.h"
#include "transport/stream.h"

namespace texcast::player {

// "raw", "lossless", "lossy" or "lossy, transform coding".
std::string_view coding_name(const transport::StreamDesc& stream);

// A JSON object:
//   format, family, width, height, fps, coding
//   aspect        [n, d]: width of a pixel : its height
//   turn          [xx, xy, yx, yy]: turn_of() the orientation
//   planes        of PlaneLayout, and internalFormat, type 'compressed' or 'bytes' (uncompressed; then also pixelFormat
//                 and pair: a texel of four channels is two pixels), of WebGL. The first row of a texture is the top
//                 row.
//   shaders       vertex, exact, scaled, and chroma or null, in GLSL ES 3.00 (player/shaders.h)
//   uniforms      color_values() by their names: numbers, or arrays of them
std::string stream_description(const TextureDesc& texture, const transport::StreamDesc& stream);

}  // namespace texcast::player
