// ycocg_planes.h — YCoCg in texcast's planes: full range, 8 bits, Co and Cg offset by 128, each plane of BC4.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "texcast/format.h"

namespace texcast::ref {

// Take sums over `count` (1, 2 or 4) texels, and return their mean rounded to nearest.
//   Y  = (R + 2G + B) / 4        (count 1 only)
//   Co = (R - B) / 2 + 128       (255.5 is limited to 255)
//   Cg = (2G - R - B) / 4 + 128
int ycocg_y(int r, int g, int b);
int ycocg_co(int sum_r, int sum_b, int count);
int ycocg_cg(int sum_r, int sum_g, int sum_b, int count);

// Clamped to 0..255.
std::array<int, 3> ycocg_to_rgb(int y, int co, int cg);

// A plane of BC4 blocks as texels, with interpolation for a subsampled one.
class Bc4Plane {
 public:
  // Plane number `plane` of a texture whose planes are Y, Co and Cg.
  Bc4Plane(const TextureView& texture, size_t plane);

  int at(int x, int y) const;  // the edge is repeated outside
  // 16 times the chroma of the luma texel (x, y), interpolated as in docs/format.md, "Chroma placement".
  int sixteenths_at_luma(int x, int y) const;

 private:
  FormatPlane format_;
  int width_, height_;
  std::vector<uint8_t> texels_;
};

// R G B of the whole texture, width * height * 3 bytes.
void decode_ycocg_planes(const TextureView& texture, std::span<uint8_t> rgb);

}  // namespace texcast::ref
