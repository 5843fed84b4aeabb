#include "bc1_lspiro.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bc1_nearest.h"
#include "ref/reciprocal.h"

namespace texcast::ref {
namespace {

// Up to this range a block is nearly flat, and the exact colour is worth more than the slope.
constexpr int kFlatRange = 6;

struct LineEnds {
  int low, high;
};

// The line through the points (rank, value) of the sorted distinct values, read off at the first and last rank and
// rounded to the nearest. With n values v_r of ranks r, S = sum((2r - (n-1)) v_r) and sum((2r - (n-1))^2) =
// n(n^2-1)/3, the line's ends are (sum(v) (n+1) -+ 3 S) / (n (n+1)).
LineEnds fit_line(const ChannelBlock& quantised, int largest_code) {
  std::vector<int> values(quantised.begin(), quantised.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const int n = static_cast<int>(values.size());
  int sum = 0, slope = 0;
  for (int rank = 0; rank < n; ++rank) {
    const int value = values[static_cast<size_t>(rank)];
    sum += value;
    slope += (2 * rank - (n - 1)) * value;
  }
  const int denominator = n * (n + 1);
  const auto round_to_code = [&](int numerator) {
    return std::min((2 * std::max(numerator, 0) + denominator) / (2 * denominator), largest_code);
  };
  return {round_to_code(sum * (n + 1) - 3 * slope), round_to_code(sum * (n + 1) + 3 * slope)};
}

// The weights for the first pass. Step 1's line may reach far beyond the texels, where palette colours find none and
// no regression brings them back; so it is cut to the texels' own extent along it, drawn in by 1/16 at each end.
Weights extent_weights(const RgbBlock& texels, const Ends565& line) {
  const auto axis = line_of(line);
  std::array<int, 16> at{};
  for (size_t i = 0; i < 16; ++i) at[i] = texels.r[i] * axis[0] + texels.g[i] * axis[1] + texels.b[i] * axis[2];
  const auto [lowest, highest] = std::minmax_element(at.begin(), at.end());
  const int inset = (*highest - *lowest) >> 4;
  const int low = *lowest + inset, length = *highest - *lowest - 2 * inset;
  Weights weights{};
  for (size_t i = 0; i < 16; ++i) {
    const int sixths = 6 * (at[i] - low);
    weights[i] = (sixths >= length) + (sixths >= 3 * length) + (sixths >= 5 * length);
  }
  return weights;
}

// The line through the points (weight, difference) of each channel, added to the end points and rounded to 5-6-5 in
// the order of operations of fit_ends. The difference is to the block as it will be decoded, thirds cut off.
Ends565 corrected(const RgbBlock& texels, const Weights& weights, const Ends565& ends) {
  const std::array<const ChannelBlock*, 3> channels = {&texels.r, &texels.g, &texels.b};
  const auto a = expanded(ends.a), b = expanded(ends.b);
  const FitSums sums = fit_sums(texels, weights);
  const int determinant = sums.determinant();
  const float inverse = reciprocal(static_cast<float>(determinant));
  Ends565 out;
  for (size_t c = 0; c < 3; ++c) {
    int difference = 0, weighted = 0;
    for (size_t i = 0; i < 16; ++i) {
      const int d = (*channels[c])[i] - (weights[i] * a[c] + (3 - weights[i]) * b[c]) / 3;
      difference += d;
      weighted += weights[i] * d;
    }
    const int at_b = sums.ww * difference - sums.w * weighted;
    const int at_a = at_b + 3 * (16 * weighted - sums.w * difference);
    const int largest = c == 1 ? 63 : 31;
    const float to_code = inverse * (c == 1 ? 63.0f / 255.0f : 31.0f / 255.0f);
    const auto quantise = [&](int numerator) {
      const float code = static_cast<float>(numerator) * to_code + 0.5f;
      return static_cast<int>(std::floor(std::min(std::max(code, 0.0f), static_cast<float>(largest))));
    };
    out.a[c] = quantise(determinant * a[c] + at_a);
    out.b[c] = quantise(determinant * b[c] + at_b);
  }
  return out;
}

void keep_better(const RgbBlock& texels, const Ends565& ends, Bc1Candidate& best) {
  const int error = nearest_error(texels, ends, Bc1Order::four);
  if (error < best.error) best = {ends, error};
}

Ends565 in_block_order(const Ends565& ends) {
  const auto packed = [](const Color565& c) { return c[0] << 11 | c[1] << 5 | c[2]; };
  return packed(ends.a) < packed(ends.b) ? Ends565{ends.b, ends.a} : ends;
}

}  // namespace

Ends565 lspiro_line(const RgbBlock& texels) {
  const auto directions = channel_directions(texels);
  const std::array<const ChannelBlock*, 3> channels = {&texels.r, &texels.g, &texels.b};
  Ends565 ends;
  for (size_t c = 0; c < 3; ++c) {
    ChannelBlock quantised{};
    std::transform(channels[c]->begin(), channels[c]->end(), quantised.begin(), c == 1 ? to_6_bits : to_5_bits);
    const LineEnds line = fit_line(quantised, c == 1 ? 63 : 31);
    ends.a[c] = directions[c] < 0 ? line.low : line.high;
    ends.b[c] = directions[c] < 0 ? line.high : line.low;
  }
  return ends;
}

Bc1Candidate lspiro_correct(const RgbBlock& texels, int passes) {
  Ends565 ends = lspiro_line(texels);
  Bc1Candidate best{ends, nearest_error(texels, ends, Bc1Order::four)};
  Weights weights = extent_weights(texels, ends);
  for (int pass = 0; pass < passes && fit_sums(texels, weights).determinant() != 0; ++pass) {
    // The line of the first pass is in no code yet: its difference is that of the line to the texels themselves.
    ends = pass == 0 ? fit_ends(fit_sums(texels, weights)) : corrected(texels, weights, ends);
    keep_better(texels, ends, best);
    weights = project_weights(texels, ends);
  }
  if (best.ends.equal() || widest_range(texels) <= kFlatRange) keep_better(texels, flat_ends(texels), best);
  best.ends = in_block_order(best.ends);
  return best;
}

Bc1Block encode_bc1_lspiro1(const RgbBlock& texels) {
  const Ends565 ends = lspiro_line(texels);
  return pack_bc1(texels, ends.a, ends.b);
}

Bc1Block encode_bc1_lspiro2(const RgbBlock& texels, int passes) {
  return pack_nearest(texels, lspiro_correct(texels, passes).ends, Bc1Order::four);
}

Bc1Block encode_bc1_lspiro3(const RgbBlock& texels, int passes, int radius) {
  const Bc1Candidate found = lspiro_search(texels, lspiro_correct(texels, passes), radius);
  return pack_nearest(texels, found.ends, Bc1Order::four);
}

}  // namespace texcast::ref
