#include <algorithm>
#include <cmath>
#include <limits>

#include "bc1_search.h"
#include "kernels/effort.h"
#include "ref/reciprocal.h"

namespace texcast::ref {
namespace {

// A texel as bright as this, or brighter (by its squares, 64 in each channel), never becomes black: that would cost
// more than any fit. From 80 on nothing is gained, at 40 dark text begins to lose (measured).
constexpr int kTooBright = 3 * 64 * 64 + 1;
constexpr float kNoErrorYet = std::numeric_limits<float>::infinity();

int brightness(const RgbBlock& t, size_t i) { return t.r[i] * t.r[i] + t.g[i] * t.g[i] + t.b[i] * t.b[i]; }

// Weights 0, 1 and 2 represent 0, 1/2 and 1; `count` texels are fitted, the others are black.
struct ThreeSums {
  float count, w, ww;
  Float3 v, wv;
  float determinant() const { return count * ww - w * w; }
};

// As line_fit(), for halves. The determinant must not be 0.
LineEnds three_fit(const ThreeSums& s) {
  const float inverse = reciprocal(s.determinant());
  Float3 a{}, b{};
  for (size_t c = 0; c < 3; ++c) {
    const float half = ((s.count * s.wv[c] - s.w * s.v[c]) * inverse) * (1.0f / 255);  // of the line
    b[c] = ((s.ww * s.v[c] - s.w * s.wv[c]) * inverse) * (1.0f / 255);
    a[c] = b[c] + 2 * half;
  }
  return line_ends(to_codes(a), to_codes(b));
}

// 4 times the squared error with exact midpoints, minus 4 times the texels' squares: that of a black texel is zero.
float three_error(const ThreeSums& s, const LineEnds& ends) {
  Float3 error{};
  for (size_t c = 0; c < 3; ++c) {
    const float b = ends.b[c], d = ends.a[c] - b;
    // Sum of (2 v - (2 b + w d))^2 minus that of (2 v)^2.
    error[c] = (4 * b) * (s.count * b + (s.w * d - 2 * s.v[c])) + d * (s.ww * d - 4 * s.wv[c]);
  }
  return (error[0] + error[1]) + error[2];
}

struct ThreeCandidate {
  LineEnds ends;
  float error = kNoErrorYet;  // three_error()
};

// Texels [black, i) have weight 0, [i, j) 1, [j, 16) 2.
ThreeSums sums_at(const SortedTexels& sorted, int black, int i, int j) {
  ThreeSums s{static_cast<float>(16 - black),
              static_cast<float>(32 - i - j),
              static_cast<float>((j - i) + 4 * (16 - j)),
              sorted.colors[16],
              {}};
  for (size_t c = 0; c < 3; ++c)
    s.wv[c] = 2 * s.v[c] - (sorted.colors[static_cast<size_t>(i)][c] + sorted.colors[static_cast<size_t>(j)][c]);
  return s;
}

// For each number of texels in the middle cluster, the split that explains most of the variance along the axis (as
// gain_on_axis() of bc1_cuts.cpp), judged in colour.
void try_cuts(const SortedTexels& sorted, int black, ThreeCandidate& best) {
  for (int middle = 0; middle <= 16 - black; ++middle) {
    float most = 0;
    int chosen = -1;
    for (int i = black; i + middle <= 16; ++i) {
      const float determinant = sums_at(sorted, black, i, i + middle).determinant();
      if (determinant == 0) continue;
      const float gain = (sorted.below[static_cast<size_t>(i)] + sorted.below[static_cast<size_t>(i + middle)]) *
                         static_cast<float>(1.0 / std::sqrt(static_cast<double>(determinant)));
      if (gain > most) {
        most = gain;
        chosen = i;
      }
    }
    if (chosen < 0) continue;
    const ThreeSums sums = sums_at(sorted, black, chosen, chosen + middle);
    const LineEnds ends = three_fit(sums);
    if (const float error = three_error(sums, ends); error < best.error) best = {ends, error};
  }
}

// An axis of the texels that are not black: the covariances with the channel that varies most (among equals green
// before red before blue).
Float3 axis_of_rest(const RgbBlock& t, const BlackTexels& black, int count) {
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
  const auto covariance = [&](size_t x, size_t y) {
    return static_cast<float>(count * products[x][y] - sum[x] * sum[y]);
  };
  size_t widest = 1;
  if (covariance(0, 0) > covariance(widest, widest)) widest = 0;
  if (covariance(2, 2) > covariance(widest, widest)) widest = 2;
  return unit_axis({covariance(widest, 0), covariance(widest, 1), covariance(widest, 2)});
}

}  // namespace

void add_three_colour_cuts(const SortedTexels& sorted, SearchStarts& starts) {
  ThreeCandidate best;
  try_cuts(sorted, 0, best);
  if (best.error < kNoErrorYet) starts.add(best.ends, false);
}

void add_black_cuts(const RgbBlock& texels, const LineBlock& block, SearchStarts& starts) {
  ThreeCandidate best;
  BlackTexels black{};
  std::array<size_t, 16> darkest{};
  for (size_t i = 0; i < 16; ++i) darkest[i] = i;
  std::stable_sort(darkest.begin(), darkest.end(),
                   [&](size_t i, size_t j) { return brightness(texels, i) < brightness(texels, j); });
  for (int count = 1; count <= TEXCAST_MOST_BLACK; ++count) {
    const size_t next = darkest[static_cast<size_t>(count) - 1];
    if (brightness(texels, next) >= kTooBright) break;
    black[next] = true;
    try_cuts(sort_along(block, axis_of_rest(texels, black, 16 - count), black), count, best);
  }
  if (best.error < kNoErrorYet) starts.add(best.ends, false);
}

}  // namespace texcast::ref
