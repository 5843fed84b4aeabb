#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "bc1_fit.h"
#include "bc1_likely_splits.h"
#include "bc1_splits.h"

namespace texcast::ref {
namespace {

constexpr size_t kGroups = 16;  // a lane each in the kernel
constexpr int kPowerIterations = 4;

// 2^-e for a positive value of exponent e: exact, so that it never rounds.
float power_of_two_below(float value) {
  return std::bit_cast<float>((254u << 23) - (std::bit_cast<uint32_t>(value) & 0x7F800000u));
}

// Principal axis by the power method, in 1024ths with the largest component from 1024 to 2047; zero for a flat block.
std::array<int, 3> principal_axis(const RgbBlock& t) {
  int r = 0, g = 0, b = 0, rr = 0, rg = 0, rb = 0, gg = 0, gb = 0, bb = 0;
  for (size_t i = 0; i < 16; ++i) {
    r += t.r[i], g += t.g[i], b += t.b[i];
    rr += t.r[i] * t.r[i], rg += t.r[i] * t.g[i], rb += t.r[i] * t.b[i];
    gg += t.g[i] * t.g[i], gb += t.g[i] * t.b[i], bb += t.b[i] * t.b[i];
  }
  // 16 times the covariance, exact in integers and (below 2^24) in single precision.
  const auto covariance = [](int products, int x, int y) { return static_cast<float>(16 * products - x * y); };
  const float crr = covariance(rr, r, r), crg = covariance(rg, r, g), crb = covariance(rb, r, b);
  const float cgg = covariance(gg, g, g), cgb = covariance(gb, g, b), cbb = covariance(bb, b, b);

  // Start from the row of the largest variance: it cannot be at a right angle to the axis.
  std::array<float, 3> v = {crg, cgg, cgb};
  if (crr > cgg && crr >= cbb) v = {crr, crg, crb};
  if (cbb > cgg && cbb > crr) v = {crb, cgb, cbb};
  for (int step = 0; step <= kPowerIterations; ++step) {
    const float largest = std::max(std::max(std::abs(v[0]), std::abs(v[1])), std::abs(v[2]));
    if (largest == 0) return {0, 0, 0};
    const float scale = power_of_two_below(largest);
    for (float& x : v) x *= scale;
    if (step == kPowerIterations) break;
    v = {(crr * v[0] + crg * v[1]) + crb * v[2], (crg * v[0] + cgg * v[1]) + cgb * v[2],
         (crb * v[0] + cgb * v[1]) + cbb * v[2]};
  }
  return {static_cast<int>(v[0] * 1024.0f), static_cast<int>(v[1] * 1024.0f), static_cast<int>(v[2] * 1024.0f)};
}

// Prefix sums of the sorted texels: [p] holds R, G, B and place on the axis of the first p.
using PrefixSums = std::array<std::array<int, 4>, 17>;

PrefixSums sorted_sums(const RgbBlock& t, const std::array<int, 3>& axis) {
  std::array<std::array<int, 5>, 16> sorted{};
  for (int i = 0; i < 16; ++i) {
    const auto n = static_cast<size_t>(i);
    const int place = t.r[n] * axis[0] + t.g[n] * axis[1] + t.b[n] * axis[2];
    sorted[n] = {place * 16 + i, t.r[n], t.g[n], t.b[n], place};  // texels at one place keep their order
  }
  std::sort(sorted.begin(), sorted.end());
  PrefixSums sums{};
  for (size_t p = 0; p < 16; ++p)
    for (size_t c = 0; c < 4; ++c) sums[p + 1][c] = sums[p][c] + sorted[p][c + 1];
  return sums;
}

// How much of the texels' spread along the axis a split takes away is (sum of w * place)^2 / determinant for places
// centred on their mean. The sums at the cuts are all of one sign, so the square root orders splits as well. Its low
// bits give way to the split's row: the largest number then names its split.
constexpr uint32_t kRowMask = 63;

uint32_t gain_on_axis(const std::array<float, 17>& centred, const Split& s, size_t row) {
  const float sum =
      (centred[static_cast<size_t>(s.i)] + centred[static_cast<size_t>(s.j)]) + centred[static_cast<size_t>(s.k)];
  const float gain = sum * static_cast<float>(1.0 / std::sqrt(static_cast<double>(s.determinant())));
  return (std::bit_cast<uint32_t>(gain) & ~kRowMask) | static_cast<uint32_t>(row);
}

Bc1Candidate fit_split(const PrefixSums& sums, const Split& s) {
  FitSums fit;
  fit.w = s.sum_w();
  fit.ww = s.sum_ww();
  for (size_t c = 0; c < 3; ++c) {
    fit.v[c] = sums[16][c];
    fit.wv[c] = 3 * sums[16][c] - sums[static_cast<size_t>(s.i)][c] - sums[static_cast<size_t>(s.j)][c] -
                sums[static_cast<size_t>(s.k)][c];
  }
  const Ends565 ends = fit_ends(fit);
  return {ends, fit_error(fit, ends)};
}

}  // namespace

Bc1Candidate cluster_bc1(const RgbBlock& texels) {
  Bc1Candidate best = refine_bc1(texels);
  const PrefixSums sums = sorted_sums(texels, principal_axis(texels));
  std::array<float, 17> centred{};
  for (size_t p = 0; p < 17; ++p) centred[p] = static_cast<float>(static_cast<int>(p) * sums[16][3] - 16 * sums[p][3]);

  // Split n belongs to group n % 16, in row n / 16.
  std::array<uint32_t, kGroups> gains{};
  for (size_t n = 0; n < kLikelySplits.size(); ++n)
    gains[n % kGroups] = std::max(gains[n % kGroups], gain_on_axis(centred, kLikelySplits[n], n / kGroups));
  for (size_t group = 0; group < kGroups; ++group) {
    const Bc1Candidate candidate = fit_split(sums, kLikelySplits[kGroups * (gains[group] & kRowMask) + group]);
    if (candidate.error < best.error) best = candidate;
  }
  return best;
}

Bc1Block encode_bc1_cluster(const RgbBlock& texels) {
  const Bc1Candidate best = cluster_bc1(texels);
  return pack_bc1(texels, best.ends.a, best.ends.b);
}

}  // namespace texcast::ref
