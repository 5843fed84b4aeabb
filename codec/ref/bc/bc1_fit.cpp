#include "ref/bc1_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "ref/reciprocal.h"

namespace texcast::ref {
namespace {

const ChannelBlock& channel(const RgbBlock& texels, size_t c) {
  return c == 0 ? texels.r : c == 1 ? texels.g : texels.b;
}

int expand(int code, size_t c) { return c == 1 ? code << 2 | code >> 4 : code << 3 | code >> 2; }

struct FlatPair {
  int a, b;
};

// For each 8-bit value the end points whose truncated 2/3 point is nearest to it; among equals those closest together,
// then the smallest a. Two equal end points are within 4 of any value, so no candidate that is farther away wins.
std::array<FlatPair, 256> make_flat_table(size_t c) {
  constexpr int kFarthest = 4;
  std::array<FlatPair, 256> table{};
  std::array<int, 256> best{};
  best.fill(1 << 30);
  const int codes = c == 1 ? 64 : 32;
  for (int a = 0; a < codes; ++a)
    for (int b = 0; b < codes; ++b) {
      const int x = expand(a, c), y = expand(b, c), point = (2 * x + y) / 3;
      for (int value = std::max(0, point - kFarthest); value <= std::min(255, point + kFarthest); ++value) {
        const int cost = std::abs(point - value) * 1024 + std::abs(x - y);
        if (cost >= best[static_cast<size_t>(value)]) continue;
        best[static_cast<size_t>(value)] = cost;
        table[static_cast<size_t>(value)] = {a, b};
      }
    }
  return table;
}

}  // namespace

Weights project_weights(const RgbBlock& texels, const Ends565& ends) {
  const auto a = expanded(ends.a), b = expanded(ends.b), axis = line_of(ends);
  const auto dot = [&](int x, int y, int z) { return x * axis[0] + y * axis[1] + z * axis[2]; };
  const auto palette = [&](int to_a, int to_b) {
    return dot((to_a * a[0] + to_b * b[0]) / 3, (to_a * a[1] + to_b * b[1]) / 3, (to_a * a[2] + to_b * b[2]) / 3);
  };
  const int half_0_1 = palette(0, 3) + palette(1, 2);
  const int half_1_2 = palette(1, 2) + palette(2, 1);
  const int half_2_3 = palette(2, 1) + palette(3, 0);
  Weights weights{};
  for (size_t i = 0; i < 16; ++i) {
    const int at = 2 * dot(texels.r[i], texels.g[i], texels.b[i]);
    weights[i] = (at >= half_0_1) + (at >= half_1_2) + (at >= half_2_3);
  }
  return weights;
}

std::array<int, 3> line_of(const Ends565& ends) {
  std::array<int, 3> line{};
  const auto a = expanded(ends.a), b = expanded(ends.b);
  for (size_t c = 0; c < 3; ++c) line[c] = a[c] - b[c];
  return line;
}

FitSums fit_sums(const RgbBlock& texels, const Weights& weights) {
  FitSums sums;
  for (size_t i = 0; i < 16; ++i) {
    sums.w += weights[i];
    sums.ww += weights[i] * weights[i];
    for (size_t c = 0; c < 3; ++c) {
      sums.v[c] += channel(texels, c)[i];
      sums.wv[c] += weights[i] * channel(texels, c)[i];
    }
  }
  return sums;
}

Ends565 fit_ends(const FitSums& sums) {
  const float inverse = reciprocal(static_cast<float>(sums.determinant()));
  Ends565 ends;
  for (size_t c = 0; c < 3; ++c) {
    const int b = sums.ww * sums.v[c] - sums.w * sums.wv[c];
    const int a = b + 3 * (16 * sums.wv[c] - sums.w * sums.v[c]);
    const int largest = c == 1 ? 63 : 31;
    const float to_code = inverse * (c == 1 ? 63.0f / 255.0f : 31.0f / 255.0f);
    const auto quantise = [&](int numerator) {
      const float code = static_cast<float>(numerator) * to_code + 0.5f;
      return static_cast<int>(std::floor(std::min(std::max(code, 0.0f), static_cast<float>(largest))));
    };
    ends.a[c] = quantise(a);
    ends.b[c] = quantise(b);
  }
  return ends;
}

Ends565 flat_ends(const RgbBlock& texels) {
  static const std::array<FlatPair, 256> five_bits = make_flat_table(0), six_bits = make_flat_table(1);
  Ends565 ends;
  for (size_t c = 0; c < 3; ++c) {
    int sum = 8;
    for (const int value : channel(texels, c)) sum += value;
    const FlatPair pair = (c == 1 ? six_bits : five_bits)[static_cast<size_t>(sum >> 4)];
    ends.a[c] = pair.a;
    ends.b[c] = pair.b;
  }
  return ends;
}

int widest_range(const RgbBlock& texels) {
  int widest = 0;
  for (size_t c = 0; c < 3; ++c) {
    const auto [low, high] = std::minmax_element(channel(texels, c).begin(), channel(texels, c).end());
    widest = std::max(widest, *high - *low);
  }
  return widest;
}

std::array<Color565, 2> range_ends(const RgbBlock& texels) {
  const auto directions = channel_directions(texels);
  const std::array<const ChannelBlock*, 3> channels = {&texels.r, &texels.g, &texels.b};
  Color565 high{}, low{};
  for (size_t c = 0; c < 3; ++c) {
    const auto [smallest, largest] = std::minmax_element(channels[c]->begin(), channels[c]->end());
    const int inset = (*largest - *smallest) >> 4;
    const auto quantise = c == 1 ? to_6_bits : to_5_bits;
    high[c] = quantise(*largest - inset);
    low[c] = quantise(*smallest + inset);
    if (directions[c] < 0) std::swap(high[c], low[c]);
  }
  return {high, low};
}

Bc1Block encode_bc1_range(const RgbBlock& texels) {
  const auto [high, low] = range_ends(texels);
  return pack_bc1(texels, high, low);
}

}  // namespace texcast::ref
