#include "ref/bc1.h"

namespace texcast::ref {
namespace {

std::array<int, 3> end_point(int code, EndpointExpansion expansion) {
  const int r = code >> 11, g = code >> 5 & 63, b = code & 31;
  if (expansion == EndpointExpansion::replicate) return {r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2};
  const auto from_5_bits = [](int x) { return ((255 * x + 16) / 32 + 255 * x + 16) / 32; };
  const int g_scaled = 255 * g + 32;
  return {from_5_bits(r), (g_scaled / 64 + g_scaled) / 64, from_5_bits(b)};
}

RgbBlock decode_color(std::span<const uint8_t, 8> block, EndpointExpansion expansion, bool always_four) {
  const int c0 = block[0] | block[1] << 8, c1 = block[2] | block[3] << 8;
  const auto e0 = end_point(c0, expansion), e1 = end_point(c1, expansion);
  std::array<std::array<int, 3>, 4> palette{e0, e1};
  for (size_t c = 0; c < 3; ++c) {
    if (c0 > c1 || always_four) {
      palette[2][c] = (2 * e0[c] + e1[c]) / 3;
      palette[3][c] = (e0[c] + 2 * e1[c]) / 3;
    } else {
      palette[2][c] = (e0[c] + e1[c]) / 2;
      palette[3][c] = 0;
    }
  }
  RgbBlock texels{};
  for (size_t i = 0; i < 16; ++i) {
    const auto& color = palette[block[4 + i / 4] >> (2 * (i % 4)) & 3];
    texels.r[i] = color[0];
    texels.g[i] = color[1];
    texels.b[i] = color[2];
  }
  return texels;
}

}  // namespace

RgbBlock decode_bc1(std::span<const uint8_t, 8> block, EndpointExpansion expansion) {
  return decode_color(block, expansion, false);
}

RgbBlock decode_bc3_color(std::span<const uint8_t, 8> block, EndpointExpansion expansion) {
  return decode_color(block, expansion, true);
}

}  // namespace texcast::ref
