// bc4_plane.h — a plane of BC4 blocks as texels, and what a decoder interpolates between those of a subsampled one.
#pragma once

#include <cstdint>
#include <vector>

#include "texcast/format.h"

namespace texcast::ref {

class Bc4Plane {
 public:
  Bc4Plane(const TextureView& texture, const PlaneLayout& layout);  // of `texture`

  int at(int x, int y) const;  // the edge goes on outside
  // 16 times the chroma of the luma texel (x, y), interpolated as docs/format.md, "Chroma placement", says. The plane
  // is Co or Cg of a texture of this format.
  int sixteenths_at_luma(TextureFormat format, int x, int y) const;

 private:
  int width_, height_;
  std::vector<uint8_t> texels_;
};

}  // namespace texcast::ref
