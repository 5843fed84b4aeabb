#include "ref/bc1_palette.h"

#include <algorithm>
#include <utility>

namespace texcast::ref {
namespace {

int round_div_255(int value) { return (value + 128 + ((value + 128) >> 8)) >> 8; }

int dot(const std::array<int, 3>& a, const std::array<int, 3>& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

int range_of(const ChannelBlock& channel) {
  const auto [low, high] = std::minmax_element(channel.begin(), channel.end());
  return *high - *low;
}

}  // namespace

std::array<int, 3> expanded(const Color565& c) {
  return {c[0] << 3 | c[0] >> 2, c[1] << 2 | c[1] >> 4, c[2] << 3 | c[2] >> 2};
}

int to_5_bits(int value) { return round_div_255(value * 31); }
int to_6_bits(int value) { return round_div_255(value * 63); }

std::array<int, 3> channel_directions(const RgbBlock& texels) {
  const std::array<const ChannelBlock*, 3> channels = {&texels.r, &texels.g, &texels.b};
  const ChannelBlock* widest = channels[1];
  if (range_of(texels.r) > range_of(*widest)) widest = channels[0];
  if (range_of(texels.b) > range_of(*widest)) widest = channels[2];
  int widest_sum = 0;
  for (const int value : *widest) widest_sum += value;

  std::array<int, 3> directions{};
  for (size_t c = 0; c < 3; ++c) {
    // 16 times the sum of the covariance: 16 * sum(a * b) - sum(a) * sum(b), exact in integers.
    int products = 0, sum = 0;
    for (size_t i = 0; i < 16; ++i) {
      products += (*channels[c])[i] * (*widest)[i];
      sum += (*channels[c])[i];
    }
    directions[c] = 16 * products - sum * widest_sum < 0 ? -1 : 1;
  }
  return directions;
}

Bc1Block pack_bc1(const RgbBlock& texels, Color565 end0, Color565 end1) {
  if (packed(end0) < packed(end1)) std::swap(end0, end1);
  const int c0 = packed(end0), c1 = packed(end1);
  Bc1Block block{};
  block[0] = static_cast<uint8_t>(c0);
  block[1] = static_cast<uint8_t>(c0 >> 8);
  block[2] = static_cast<uint8_t>(c1);
  block[3] = static_cast<uint8_t>(c1 >> 8);
  if (c0 == c1) return block;

  const auto e0 = expanded(end0), e1 = expanded(end1);
  std::array<int, 3> p2{}, p3{}, axis{};
  for (size_t c = 0; c < 3; ++c) {
    p2[c] = (2 * e0[c] + e1[c]) / 3;
    p3[c] = (e0[c] + 2 * e1[c]) / 3;
    axis[c] = e0[c] - e1[c];
  }
  // Along the axis the palette has the order c1, p3, p2, c0; doubled midpoints stay integers.
  const int half_1_3 = dot(e1, axis) + dot(p3, axis);
  const int half_3_2 = dot(p3, axis) + dot(p2, axis);
  const int half_2_0 = dot(p2, axis) + dot(e0, axis);
  uint32_t indices = 0;
  for (size_t i = 0; i < 16; ++i) {
    const int at = 2 * dot({texels.r[i], texels.g[i], texels.b[i]}, axis);
    const uint32_t index = at < half_1_3 ? 1 : at < half_3_2 ? 3 : at < half_2_0 ? 2 : 0;
    indices |= index << (2 * i);
  }
  for (size_t i = 0; i < 4; ++i) block[4 + i] = static_cast<uint8_t>(indices >> (8 * i));
  return block;
}

}  // namespace texcast::ref
