// bc1_lspiro.cpp — LSpiro's three steps (ref/bc1.h), each of which starts from the end points of the previous one.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bc1_nearest.h"
#include "kernels/effort.h"
#include "ref/bc1_fit.h"
#include "ref/reciprocal.h"

namespace texcast::ref {
namespace {

// Up to this range a block is nearly flat, and the exact colour matters more than the slope.
constexpr int kFlatRange = 6;

struct RankLine {
  int low, high;
};

// The line through the points (rank, value) of the sorted distinct values, evaluated at the first and last rank and
// rounded to nearest. With n values v_r of ranks r, S = sum((2r - (n-1)) v_r) and sum((2r - (n-1))^2) = n(n^2-1)/3, the
// line's ends are (sum(v) (n+1) -+ 3 S) / (n (n+1)).
RankLine fit_line(const ChannelBlock& quantised, int largest_code) {
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

// The weights for the first pass. Step 1's line may extend far beyond the texels, where no texel uses the palette
// colours and no regression brings them back. So it is clipped to the texels' own extent along it, less 1/16 at each
// end.
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

// The line through the points (weight, difference) of each channel, added to the end points and rounded to 5-6-5 in the
// order of operations of fit_ends(). The difference is to the block as it will be decoded, with truncated thirds.
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

Ends565 in_block_order(const Ends565& ends) { return packed(ends.a) < packed(ends.b) ? Ends565{ends.b, ends.a} : ends; }

// Step 1: the ends of a regression line through each channel's sorted distinct 5/6-bit values.
Ends565 lspiro_line(const RgbBlock& texels) {
  const auto directions = channel_directions(texels);
  const std::array<const ChannelBlock*, 3> channels = {&texels.r, &texels.g, &texels.b};
  Ends565 ends;
  for (size_t c = 0; c < 3; ++c) {
    ChannelBlock quantised{};
    std::transform(channels[c]->begin(), channels[c]->end(), quantised.begin(), c == 1 ? to_6_bits : to_5_bits);
    const RankLine line = fit_line(quantised, c == 1 ? 63 : 31);
    ends.a[c] = directions[c] < 0 ? line.low : line.high;
    ends.b[c] = directions[c] < 0 ? line.high : line.low;
  }
  return ends;
}

// Step 2: regression of the difference between the block and its reconstruction, `passes` times. Returns the end points
// with the smallest error of all passes, in the order that the block will have (packed a >= b).
Bc1Candidate lspiro_correct(const RgbBlock& texels, int passes) {
  Ends565 ends = lspiro_line(texels);
  Bc1Candidate best{ends, nearest_error(texels, ends, Bc1Order::four)};
  Weights weights = extent_weights(texels, ends);
  for (int pass = 0; pass < passes && fit_sums(texels, weights).determinant() != 0; ++pass) {
    // The line of the first pass is not quantised yet: its difference is to the texels themselves.
    ends = pass == 0 ? fit_ends(fit_sums(texels, weights)) : corrected(texels, weights, ends);
    keep_better(texels, ends, best);
    weights = project_weights(texels, ends);
  }
  if (best.ends.equal() || widest_range(texels) <= kFlatRange) keep_better(texels, flat_ends(texels), best);
  best.ends = in_block_order(best.ends);
  return best;
}

// The cost of a channel's part of the palette: for every weight the squared distance to every texel.
using ChannelCosts = std::array<std::array<int, 16>, 4>;

// Added to those of the previous channels, if any.
ChannelCosts channel_costs(const ChannelBlock& texels, size_t channel, int end_a, int end_b,
                           const ChannelCosts* before = nullptr) {
  const auto expand = [&](int code) { return channel == 1 ? code << 2 | code >> 4 : code << 3 | code >> 2; };
  const int a = expand(end_a), b = expand(end_b);
  const std::array<int, 4> palette = {b, (a + 2 * b) / 3, (2 * a + b) / 3, a};
  ChannelCosts costs{};
  for (size_t w = 0; w < 4; ++w)
    for (size_t i = 0; i < 16; ++i) {
      const int d = texels[i] - palette[w];
      costs[w][i] = d * d + (before != nullptr ? (*before)[w][i] : 0);
    }
  return costs;
}

// The error if each texel takes its cheapest weight.
int least_cost(const ChannelCosts& costs) {
  int sum = 0;
  for (size_t i = 0; i < 16; ++i)
    sum += std::min(std::min(costs[0][i], costs[1][i]), std::min(costs[2][i], costs[3][i]));
  return sum;
}

struct Pair {
  int a, b;   // codes of one channel
  int bound;  // lower bound of the cost of this channel alone
};

// The pairs of codes around (a, b), in their order, and the smallest bound among them.
struct Pairs {
  std::vector<Pair> all;
  int least = 1 << 30;
};

Pairs pairs_around(const RgbBlock& texels, const Ends565& ends, size_t c, int radius) {
  const ChannelBlock& values = c == 0 ? texels.r : c == 1 ? texels.g : texels.b;
  const int largest = c == 1 ? 63 : 31;
  Pairs pairs;
  for (int a = std::max(ends.a[c] - radius, 0); a <= std::min(ends.a[c] + radius, largest); ++a)
    for (int b = std::max(ends.b[c] - radius, 0); b <= std::min(ends.b[c] + radius, largest); ++b) {
      const int bound = least_cost(channel_costs(values, c, a, b));
      pairs.all.push_back({a, b, bound});
      pairs.least = std::min(pairs.least, bound);
    }
  return pairs;
}

// The best of the neighbourhood, by branch and bound: a branch ends as soon as its lower bound is not better, which is
// red's bound, then red's and green's, then both together, then with blue's. Some 20 of 729 neighbours at radius 1 are
// evaluated.
Bc1Candidate best_around(const RgbBlock& texels, Bc1Candidate best, int radius) {
  const Pairs reds = pairs_around(texels, best.ends, 0, radius);
  const Pairs greens = pairs_around(texels, best.ends, 1, radius);
  const Pairs blues = pairs_around(texels, best.ends, 2, radius);
  for (const Pair& r : reds.all) {
    if (r.bound + greens.least + blues.least >= best.error) continue;
    const ChannelCosts red = channel_costs(texels.r, 0, r.a, r.b);
    for (const Pair& g : greens.all) {
      if (r.bound + g.bound + blues.least >= best.error) continue;
      const ChannelCosts both = channel_costs(texels.g, 1, g.a, g.b, &red);
      const int bound = least_cost(both);
      for (const Pair& b : blues.all) {
        if (bound + b.bound >= best.error) continue;
        const int error = least_cost(channel_costs(texels.b, 2, b.a, b.b, &both));
        if (error < best.error) best = {{{r.a, g.a, b.a}, {r.b, g.b, b.b}}, error};
      }
    }
  }
  return best;
}

// Step 3: among all end points whose codes are within `radius` of the candidate's, those with the smallest error;
// repeated from there until none is better. Among equals the candidate wins, then the first in the order of the codes
// red a, red b, green a, green b, blue a, blue b.
Bc1Candidate lspiro_search(const RgbBlock& texels, Bc1Candidate candidate, int radius) {
  for (int round = 0; round < TEXCAST_LSPIRO_ROUNDS; ++round) {
    const Bc1Candidate next = best_around(texels, candidate, radius);
    if (next.error == candidate.error) break;
    candidate = next;
  }
  return candidate;
}

}  // namespace

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
