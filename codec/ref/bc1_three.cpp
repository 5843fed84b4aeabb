#include <algorithm>
#include <bit>
#include <cmath>

#include "bc1_search.h"

namespace texcast::ref {
namespace {

// A texel as bright as this, or brighter, (by its squares, 64 in each channel) is never left to black: it would cost
// more than any fit. From 80 on nothing is gained, at 40 dark text begins to lose (measured).
constexpr int kTooBright = 3 * 64 * 64 + 1;
constexpr int kMostBlack = 14;  // two texels are the least that a line can be fitted to

int brightness(const RgbBlock& t, size_t i) { return t.r[i] * t.r[i] + t.g[i] * t.g[i] + t.b[i] * t.b[i]; }

// Weights 0, 1 and 2 stand for 0, 1/2 and 1; `count` texels take part.
struct ThreeSums {
  int count, w, ww;
  std::array<int, 3> v, wv;
  int determinant() const { return count * ww - w * w; }
};

// As fit_ends and fit_error, for halves.
Ends565 three_ends(const ThreeSums& s) {
  const float inverse = fit_reciprocal(static_cast<float>(s.determinant()));
  Ends565 ends;
  for (size_t c = 0; c < 3; ++c) {
    const int b = s.ww * s.v[c] - s.w * s.wv[c];
    const int a = b + 2 * (s.count * s.wv[c] - s.w * s.v[c]);
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

int three_error(const ThreeSums& s, const Ends565& ends) {
  const auto a = expanded(ends.a), b = expanded(ends.b);
  int error = 0;
  for (size_t c = 0; c < 3; ++c) {
    const int d = a[c] - b[c];
    // Sum of (2 v - (2 b + w d))^2 less that of (2 v)^2; a black texel's is nothing.
    error += 4 * b[c] * (s.count * b[c] + s.w * d - 2 * s.v[c]) + d * (s.ww * d - 4 * s.wv[c]);
  }
  return error;
}

void try_cuts(const SortedSums& sums, int black, Bc1Candidate& best) {
  const auto& whole = sums[16];
  for (int i = black; i <= 16; ++i)
    for (int j = i; j <= 16; ++j) {
      ThreeSums s{.count = 16 - black, .w = 32 - i - j, .ww = (j - i) + 4 * (16 - j), .v = whole, .wv = {}};
      if (s.determinant() == 0) continue;
      for (size_t c = 0; c < 3; ++c)
        s.wv[c] = 2 * whole[c] - sums[static_cast<size_t>(i)][c] - sums[static_cast<size_t>(j)][c];
      const Ends565 ends = three_ends(s);
      if (const int error = three_error(s, ends); error < best.error) best = {ends, error};
    }
}

// A line that the texels which are not black follow: the covariances with the channel that varies most (of equals green
// before red before blue), in at most 10 bits.
std::array<int, 3> line_of_rest(const RgbBlock& t, const BlackTexels& black, int count) {
  std::array<int, 3> sum{};
  std::array<std::array<int, 3>, 3> products{};
  for (size_t i = 0; i < 16; ++i) {
    if (black[i]) continue;
    const std::array<int, 3> texel = {t.r[i], t.g[i], t.b[i]};
    for (size_t x = 0; x < 3; ++x) {
      sum[x] += texel[x];
      for (size_t y = 0; y < 3; ++y) products[x][y] += texel[x] * texel[y];
    }
  }
  // `count` squared times the covariance.
  const auto covariance = [&](size_t x, size_t y) { return count * products[x][y] - sum[x] * sum[y]; };
  size_t widest = 1;
  if (covariance(0, 0) > covariance(widest, widest)) widest = 0;
  if (covariance(2, 2) > covariance(widest, widest)) widest = 2;
  const int shift = std::max(0, 22 - std::countl_zero(static_cast<unsigned>(covariance(widest, widest))));
  return {covariance(widest, 0) >> shift, covariance(widest, 1) >> shift, covariance(widest, 2) >> shift};
}

}  // namespace

SortedSums sort_along(const RgbBlock& t, const std::array<int, 3>& line, const BlackTexels& black) {
  std::array<size_t, 16> order{};
  for (size_t i = 0; i < 16; ++i) order[i] = i;
  const auto place = [&](size_t i) { return t.r[i] * line[0] + t.g[i] * line[1] + t.b[i] * line[2]; };
  std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) {
    return black[i] != black[j] ? black[i] : !black[i] && place(i) < place(j);
  });
  SortedSums sums{};
  for (size_t p = 0; p < 16; ++p) {
    const size_t i = order[p];
    sums[p + 1] = sums[p];
    if (black[i]) continue;
    sums[p + 1][0] += t.r[i], sums[p + 1][1] += t.g[i], sums[p + 1][2] += t.b[i];
  }
  return sums;
}

Bc1Candidate three_colour_bc1(const RgbBlock& texels, const std::array<int, 3>& line, bool allow_black) {
  Bc1Candidate best{{}, 1 << 30};
  BlackTexels black{};
  try_cuts(sort_along(texels, line, black), 0, best);
  if (!allow_black) return best;

  std::array<size_t, 16> darkest{};
  for (size_t i = 0; i < 16; ++i) darkest[i] = i;
  std::stable_sort(darkest.begin(), darkest.end(),
                   [&](size_t i, size_t j) { return brightness(texels, i) < brightness(texels, j); });
  for (int count = 1; count <= kMostBlack; ++count) {
    const size_t next = darkest[static_cast<size_t>(count) - 1];
    if (brightness(texels, next) >= kTooBright) break;
    black[next] = true;
    try_cuts(sort_along(texels, line_of_rest(texels, black, 16 - count), black), count, best);
  }
  return best;
}

}  // namespace texcast::ref
