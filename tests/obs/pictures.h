// pictures.h — pictures for streams, their blocks, and how far what OBS shows is from them.
#pragma once

#include <string>
#include <vector>

#include "texcast/format.h"
#include "texcast/image.h"

namespace texcast::test {

// A gradient with edges, which depends on `n`; alpha goes from left to right.
std::vector<uint8_t> rgba_picture(int width, int height, int n);

struct Blocks {
  TextureDesc desc{};
  std::vector<std::byte> bytes{};
  TextureView view() const { return {.desc = desc, .blocks = bytes}; }
};
Blocks blocks_of(TextureFormat format, int width, int height, int n = 0);

// The picture in the blocks, as OBS has it: R G B A, of which colours are multiplied by alpha, as light.
DecodedImage expected_picture(const Blocks& blocks);

double psnr_db(const DecodedImage& a, const DecodedImage& b);  // 0 if sizes differ

// "rtp://127.0.0.1:PORT" with a port that was free a moment ago.
std::string free_address();

}  // namespace texcast::test
