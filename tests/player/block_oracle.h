// block_oracle.h — simple decoders of blocks, and random blocks. The player's tests compare OpenGL's output with them.
// They are written from the formats' definitions, independently of codec/ref on purpose, except ASTC, which is
// codec/ref's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "player/presenter.h"
#include "texcast/format.h"

namespace texcast::player {

// A texture that owns its blocks.
struct OwnedTexture {
  TextureDesc desc;
  std::vector<std::byte> blocks;
  TextureView view() const { return {desc, blocks}; }
};

// Random blocks. Those of BC1 have four colours, or three and black; those of YCoCg-DXT5 have one scale each.
OwnedTexture random_texture(TextureFormat format, int width, int height, uint32_t seed);
// Every pixel has the same colour (BC1 only), for tests of whole pictures.
OwnedTexture flat_bc1(int width, int height, uint16_t rgb565);

// One plane of 8-bit texels; BC1's has three channels.
struct OraclePlane {
  int width = 0;
  int height = 0;
  int channels = 1;
  std::vector<double> texels;  // 0..255, not rounded
  double at(int x, int y, int channel = 0) const {
    return texels[static_cast<size_t>((y * width + x) * channels + channel)];
  }
};

// `plane` of the texture, at its own size.
OraclePlane decode_plane(const OwnedTexture& texture, int plane);

// The whole picture as R G B, blended over the player's tiles if it has alpha; 0..255, clamped, not rounded. Chroma of
// half-size planes is interpolated linearly between the centres of the areas that its texels cover.
OraclePlane decode_picture(const OwnedTexture& texture);

// The difference of `shown` from `want`, over all channels of all pixels.
struct Difference {
  double largest = 0;
  double mean = 0;
  int x = 0;
  int y = 0;
  size_t exact = 0;  // channels that are equal to the rounded oracle
  size_t channels = 0;
};
Difference compare(const ShownPicture& shown, const OraclePlane& want);

// The formats leave the rounding of interpolated values to the texture unit. Measured with random blocks:
//                    BC1 largest, mean    BC4 plane largest                     YCoCg-BC4 largest, mean
//     llvmpipe 22.3  1.33  0.14           1.29 (six-value 1.60, signed 2.31)    4.17  0.46
//     NVIDIA H200    5.33  0.38           2.81 (six-value 7.20, signed 7.41)    18.2  0.98
// llvmpipe truncates; the GPU's weights are coarse (BC1 green: 80/256 instead of a third).
struct Tolerance {
  double largest = 0;
  double mean = 0;
};
Tolerance tolerance(TextureFormat format, const std::string& renderer);

}  // namespace texcast::player
