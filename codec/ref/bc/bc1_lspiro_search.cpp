#include <algorithm>
#include <vector>

#include "bc1_lspiro.h"

namespace texcast::ref {
namespace {

// What a channel's part of the palette costs: for every weight the squared distance to every texel.
using ChannelCosts = std::array<std::array<int, 16>, 4>;

// Plus those of the channels before, where there are any.
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

// The error where each texel takes its cheapest weight.
int least_cost(const ChannelCosts& costs) {
  int sum = 0;
  for (size_t i = 0; i < 16; ++i)
    sum += std::min(std::min(costs[0][i], costs[1][i]), std::min(costs[2][i], costs[3][i]));
  return sum;
}

struct Pair {
  int a, b;   // codes of one channel
  int bound;  // what this channel alone costs at least, whatever the others are
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

// The best of the neighbourhood. A branch ends where what is known of it can no longer be better: red's bound, then
// red's and green's, then both together, then with blue's. Of 729 neighbours at radius 1 some 20 are looked at.
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

}  // namespace

Bc1Candidate lspiro_search(const RgbBlock& texels, Bc1Candidate candidate, int radius) {
  for (int round = 0; round < kLspiroRounds; ++round) {
    const Bc1Candidate next = best_around(texels, candidate, radius);
    if (next.error == candidate.error) break;
    candidate = next;
  }
  return candidate;
}

}  // namespace texcast::ref
