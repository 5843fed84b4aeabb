#include "bc7_likely.h"

#include <algorithm>
#include <cmath>

#include "kernels/bc7_likely.h"
#include "kernels/effort.h"
#include "ref/reciprocal.h"

namespace texcast::ref::bc7 {
namespace {

// A partition, and the side of it that stays inside along the path through the list: one bit per texel.
struct Cut {
  int partition;
  uint32_t inside;
};

#define STEP(texel) inside ^= 1u << 0x##texel;
#define RANK(partition, texels) cuts[n++] = {partition, inside};
constexpr std::array<Cut, 64> kCuts = [] {
  std::array<Cut, 64> cuts{};
  uint32_t inside = 0;
  size_t n = 0;
  BC7_LIKELY_PARTITIONS(STEP, STEP, RANK)
  return cuts;
}();
#undef STEP
#undef RANK

// 1 / sqrt(value) from a seed made of the number's bits and two Newton steps. value > 0.
float inverse_root(float value) {
  float r = std::bit_cast<float>(0x5F3759DFu - (std::bit_cast<uint32_t>(value) >> 1));
  for (int step = 0; step < 2; ++step) r = r * (1.5f - (0.5f * value * r) * r);
  return r;
}

// Whole numbers, so that their sums are the same in any order, with a common offset removed.
struct Projection {
  std::array<int, 16> along{}, across{};
};

// Scales the sum of squares of all texels' distances from their mean to 2^22.
constexpr float kProjectedSize = 2048.0f;

std::array<int, 16> project(const Texels16& texels, const Moments& all, const Vector& axis, float trace) {
  const float length = kProjectedSize * inverse_root(std::max(dot(axis, axis), kTiny) * (trace * 0.0625f));
  Vector way{}, sum{};
  for (const size_t c : kChannels) {
    way[c] = axis[c] * length;
    sum[c] = static_cast<float>(all.sum[c]);
  }
  constexpr float kRound = 12582912.0f;
  const float from = kRound - dot(way, sum) * 0.0625f;
  std::array<int, 16> places{};
  for (size_t i = 0; i < 16; ++i) {
    Vector texel{};
    for (const size_t c : kChannels) texel[c] = static_cast<float>(texels[i][c]);
    places[i] = static_cast<int>((dot(way, texel) + from) - kRound);
  }
  return places;
}

// The second axis is the largest column of the covariance after removing the first.
Projection projection_of(const Texels16& texels, const Moments& all) {
  const Axis axis(all, TEXCAST_BC7_POWERS);
  const Vector& v = axis.direction;
  const Vector turned = axis.times(v);
  const float inverse = reciprocal(std::max(dot(v, v), kTiny));
  const float share = (dot(v, turned) * inverse) * inverse;
  size_t widest = 0;
  Vector left{}, across{};
  for (const size_t c : kChannels) {
    left[c] = axis.matrix[c][c] - share * (v[c] * v[c]);
    const bool is_coded = c != kAlpha || axis.matrix[c][c] > 0;
    if (is_coded && left[c] > left[widest]) widest = c;
  }
  for (const size_t c : kChannels) across[c] = axis.matrix[widest][c] - share * (v[widest] * v[c]);
  return {project(texels, all, v, axis.trace), project(texels, all, across, axis.trace)};
}

// The sum of products of all texels' places, and of those inside a subset.
struct Products {
  int all = 0, inside = 0;

  Products(const std::array<int, 16>& x, const std::array<int, 16>& y, uint32_t inside_cut) {
    for (size_t i = 0; i < 16; ++i) {
      all += x[i] * y[i];
      inside += (inside_cut >> i & 1) != 0 ? x[i] * y[i] : 0;
    }
  }
};

// One of the two sides: its residual beside a line on the plane (`area` / `spread`), and its extent.
struct Side {
  float area, spread;

  Side(float xx, float xy, float yy) : area(xx * yy - xy * xy), spread(std::max(xx + yy, 1.0f)) {}
};

// The residual of two lines. The two sides' sums are practically opposite, as those of all texels are near 0.
float left_by_cut(const Projection& projection, uint32_t inside) {
  int count = 0, x = 0, y = 0;
  for (size_t i = 0; i < 16; ++i) {
    if ((inside >> i & 1) == 0) continue;
    ++count;
    x += projection.along[i];
    y += projection.across[i];
  }
  const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
  const Products xx(projection.along, projection.along, inside), xy(projection.along, projection.across, inside),
      yy(projection.across, projection.across, inside);
  const float share = reciprocal(static_cast<float>(count)), rest = reciprocal(static_cast<float>(16 - count));
  const auto in = [&](const Products& p, float of_sums) { return static_cast<float>(p.inside) - of_sums * share; };
  const auto out = [&](const Products& p, float of_sums) {
    return static_cast<float>(p.all - p.inside) - of_sums * rest;
  };
  const Side p(in(xx, fx * fx), in(xy, fx * fy), in(yy, fy * fy));
  const Side q(out(xx, fx * fx), out(xy, fx * fy), out(yy, fy * fy));
  return (p.area * q.spread + q.area * p.spread) * reciprocal(p.spread * q.spread) +
         (p.spread + q.spread) * BC7_SHARE_ALONG;
}

}  // namespace

std::vector<int> likely_pairs(const Texels16& texels, const Moments& all, int tried, int count) {
  const Projection projection = projection_of(texels, all);
  std::vector<uint32_t> keys;
  for (int n = 0; n < tried; ++n) {
    const Cut& cut = kCuts[static_cast<size_t>(n)];
    const float left = left_by_cut(projection, cut.inside);
    // Non-negative floats are ordered as integers; the lowest bits are replaced by the number.
    keys.push_back((std::bit_cast<uint32_t>(std::max(left, 0.0f)) & ~63u) | static_cast<uint32_t>(cut.partition));
  }
  std::ranges::sort(keys);
  std::vector<int> partitions;
  for (int n = 0; n < count; ++n) partitions.push_back(static_cast<int>(keys[static_cast<size_t>(n)] & 63));
  return partitions;
}

}  // namespace texcast::ref::bc7
