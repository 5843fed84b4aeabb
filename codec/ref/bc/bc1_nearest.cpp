#include "bc1_nearest.h"

#include <utility>

namespace texcast::ref {
namespace {

struct Nearest {
  uint32_t index;
  int distance;  // squared
};

Nearest nearest(const RgbBlock& texels, size_t i, const Bc1Palette& palette) {
  Nearest best{0, 1 << 30};
  for (uint32_t n = 0; n < 4; ++n) {
    const int r = texels.r[i] - palette[n][0], g = texels.g[i] - palette[n][1], b = texels.b[i] - palette[n][2];
    if (const int distance = r * r + g * g + b * b; distance < best.distance) best = {n, distance};
  }
  return best;
}

}  // namespace

Bc1Palette palette_of(const Ends565& ends, Bc1Order order) {
  const auto a = expanded(ends.a), b = expanded(ends.b);
  Bc1Palette palette{a, b};
  for (size_t c = 0; c < 3; ++c) {
    const int middle = (a[c] + b[c]) / 2;
    palette[2][c] = order == Bc1Order::four ? (2 * a[c] + b[c]) / 3 : middle;
    palette[3][c] = order == Bc1Order::four ? (a[c] + 2 * b[c]) / 3 : order == Bc1Order::three ? middle : 0;
  }
  return palette;
}

int nearest_error(const RgbBlock& texels, const Ends565& ends, Bc1Order order) {
  const Bc1Palette palette = palette_of(ends, order);
  int error = 0;
  for (size_t i = 0; i < 16; ++i) error += nearest(texels, i, palette).distance;
  return error;
}

void put_in_order(Ends565& ends, Bc1Order order) {
  const bool falling = packed(ends.a) >= packed(ends.b);
  if (falling != (order == Bc1Order::four)) std::swap(ends.a, ends.b);
}

Bc1Block pack_nearest(const RgbBlock& texels, Ends565 ends, Bc1Order order) {
  put_in_order(ends, order);
  const Bc1Palette palette = palette_of(ends, order);
  uint32_t indices = 0;
  for (size_t i = 0; i < 16; ++i) indices |= nearest(texels, i, palette).index << (2 * i);
  Bc1Block block{};
  const int c0 = packed(ends.a), c1 = packed(ends.b);
  for (size_t i = 0; i < 2; ++i) {
    block[i] = static_cast<uint8_t>(c0 >> (8 * i));
    block[2 + i] = static_cast<uint8_t>(c1 >> (8 * i));
  }
  for (size_t i = 0; i < 4; ++i) block[4 + i] = static_cast<uint8_t>(indices >> (8 * i));
  return block;
}

}  // namespace texcast::ref
