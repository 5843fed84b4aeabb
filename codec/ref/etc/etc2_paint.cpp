// etc2_paint.cpp — the modes T and H: two independent colours of 4 bits per channel, found by k-means, and a distance.
#include <cstdlib>
#include <optional>

#include "etc2_modes.h"

namespace texcast::ref::etc {
namespace {

enum class PairMode { t, t_swapped, h };  // t_swapped has the other colour as the single one

using Texels = std::array<Rgb, 16>;
using Pair = std::array<Rgb, 2>;  // codes of 4 bits, or colours

struct PairFit {
  PairMode mode = PairMode::t;
  Pair codes{};
  size_t distance = 0;
  int error = 1 << 30;
};

Paints pair_paints(const PairFit& fit) {
  const Rgb a = expanded(fit.codes[0], 4), b = expanded(fit.codes[1], 4);
  const int d = kDistances[fit.distance];
  if (fit.mode == PairMode::h) return {moved(a, d), moved(a, -d), moved(b, d), moved(b, -d)};
  return {a, moved(b, d), b, moved(b, -d)};
}

// The group, of the block's two, that a palette colour belongs to, and its distance from the group's colour.
size_t group_of_paint(PairMode mode, size_t paint) {
  if (mode == PairMode::h) return paint / 2;
  return paint == 0 ? 0 : 1;
}
int offset_of_paint(PairMode mode, size_t paint, int distance) {
  if (mode == PairMode::h) return paint % 2 == 0 ? distance : -distance;
  return std::array{0, distance, 0, -distance}[paint];
}

// H has no even distance indices for equal colours.
bool exists(const PairFit& fit) {
  return fit.mode != PairMode::h || fit.codes[0] != fit.codes[1] || fit.distance % 2 == 1;
}

void try_pair(const Texels& texels, PairMode mode, const Pair& codes, size_t distance, PairFit& best) {
  PairFit fit{mode, codes, distance, 0};
  if (!exists(fit)) return;
  fit.error = painted_error(texels, pair_paints(fit));
  if (fit.error < best.error) best = fit;
}

// To 4 bits, the nearest.
Rgb nearest_code(const Rgb& sum, int count) {
  Rgb code{};
  for (size_t c = 0; c < 3; ++c) code[c] = std::clamp((2 * std::max(sum[c], 0) + 17 * count) / (2 * 17 * count), 0, 15);
  return code;
}

// Sums and numbers of two groups of texels.
struct Groups {
  std::array<Rgb, 2> sum{};
  std::array<int, 2> count{};
  void add(size_t group, const Rgb& color, int less = 0) {
    for (size_t c = 0; c < 3; ++c) sum[group][c] += color[c] - less;
    ++count[group];
  }
};

size_t farthest(const Texels& texels, const Rgb& from) {
  size_t found = 0;
  for (size_t i = 1; i < 16; ++i)
    if (squared_distance(texels[i], from) > squared_distance(texels[found], from)) found = i;
  return found;
}

// Rounded means of two groups, which start with the texel that is farthest from the mean, and the one farthest from
// that.
Groups clusters(const Texels& texels, int rounds) {
  Rgb mean{};
  for (const Rgb& color : texels)
    for (size_t c = 0; c < 3; ++c) mean[c] += color[c];
  for (int& channel : mean) channel = (channel + 8) / 16;
  Pair centres;
  centres[0] = texels[farthest(texels, mean)];
  centres[1] = texels[farthest(texels, centres[0])];
  Groups groups;
  for (int round = 0; round < rounds; ++round) {
    groups = {};
    for (const Rgb& color : texels)
      groups.add(squared_distance(color, centres[1]) < squared_distance(color, centres[0]) ? 1 : 0, color);
    for (size_t g = 0; g < 2; ++g) {
      if (groups.count[g] == 0) groups.add(g, texels[0]);  // as in flat blocks
      for (size_t c = 0; c < 3; ++c) centres[g][c] = (2 * groups.sum[g][c] + groups.count[g]) / (2 * groups.count[g]);
    }
  }
  return groups;
}

// Refits the colours to the texels that chose them, then tries all distances again.
void refit(const Texels& texels, PairFit& best) {
  const Paints paints = pair_paints(best);
  Groups groups;
  for (const Rgb& color : texels) {
    const size_t paint = nearest_paint(color, paints);
    groups.add(group_of_paint(best.mode, paint), color, offset_of_paint(best.mode, paint, kDistances[best.distance]));
  }
  Pair codes = best.codes;
  for (size_t g = 0; g < 2; ++g)
    if (groups.count[g] > 0) codes[g] = nearest_code(groups.sum[g], groups.count[g]);
  const PairMode mode = best.mode;
  for (size_t d = 0; d < kDistances.size(); ++d) try_pair(texels, mode, codes, d, best);
}

// Moves to the best block with one channel of one colour changed by a step and the same or the next distance.
void walk_pair(const Texels& texels, int steps, PairFit& best) {
  for (int step = 0; step < steps && best.error > 0; ++step) {
    const PairFit from = best;
    for (size_t n = 0; n < 12; ++n) {
      Pair codes = from.codes;
      int& channel = codes[n / 6][n / 2 % 3];
      channel += n % 2 == 0 ? 1 : -1;
      if (channel < 0 || channel > 15) continue;
      const size_t first = from.distance == 0 ? 0 : from.distance - 1, last = std::min(from.distance + 1, size_t{7});
      for (size_t d = first; d <= last; ++d) try_pair(texels, from.mode, codes, d, best);
    }
    if (best.error == from.error) return;
  }
}

Texels texels_of(const RgbBlock& block) {
  Texels texels;
  for (size_t i = 0; i < 16; ++i) texels[i] = texel(block, i);
  return texels;
}

Coded packed(const Texels& texels, const PairFit& fit) {
  Indices indices{};
  const Paints paints = pair_paints(fit);
  for (size_t i = 0; i < 16; ++i) indices[i] = nearest_paint(texels[i], paints);
  const PairCode code{fit.codes[0], fit.codes[1], fit.distance};
  return {fit.mode == PairMode::h ? pack_h(code, indices) : pack_t(code, indices), fit.error};
}

// Which texels are above the middle of the channel that has the widest range.
std::array<size_t, 16> split(const Texels& texels) {
  Rgb low = texels[0], high = texels[0], range{};
  for (const Rgb& color : texels)
    for (size_t c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], color[c]);
      high[c] = std::max(high[c], color[c]);
      range[c] = high[c] - low[c];
    }
  const auto widest = static_cast<size_t>(std::ranges::max_element(range) - range.begin());
  std::array<size_t, 16> group{};
  for (size_t i = 0; i < 16; ++i) group[i] = 2 * texels[i][widest] > low[widest] + high[widest] ? 1 : 0;
  return group;
}

}  // namespace

// Without clamping to 0..255, each texel being limited to the palette of its own group: with x the sum of its channels'
// differences from the group's colour, a palette colour at distance m from it adds 3m^2 - 2mx to the texel's error.
Coded estimated_pairs(const RgbBlock& block, int effort) {
  const Texels texels = texels_of(block);
  const std::array<size_t, 16> group = split(texels);
  Groups groups;
  for (size_t i = 0; i < 16; ++i) groups.add(group[i], texels[i]);
  const Rgb a = nearest_code(groups.sum[0], groups.count[0]);
  const Rgb b = groups.count[1] == 0 ? a : nearest_code(groups.sum[1], groups.count[1]);
  int to_colors = 0;
  std::array<int, 16> above{};
  for (size_t i = 0; i < 16; ++i) {
    const Rgb color = expanded(group[i] == 0 ? a : b, 4);
    to_colors += squared_distance(texels[i], color);
    for (size_t c = 0; c < 3; ++c) above[i] += texels[i][c] - color[c];
  }
  PairFit best;
  const auto try_mode = [&](PairMode mode, const Pair& codes, std::optional<size_t> alone) {
    for (size_t d = 0; d < kDistances.size(); d += alone ? TEXCAST_ETC2_T_STEP(effort) : 1) {
      PairFit fit{mode, codes, d, to_colors};
      for (size_t i = 0; i < 16; ++i) {
        const int moved = 3 * kDistances[d] * kDistances[d] - 2 * kDistances[d] * std::abs(above[i]);
        if (!alone)
          fit.error += moved;
        else if (group[i] != *alone)
          fit.error += std::min(moved, 0);
      }
      if (fit.error < best.error) best = fit;
    }
  };
  if (a != b) try_mode(PairMode::h, {a, b}, {});
  try_mode(PairMode::t, {a, b}, 0);
  try_mode(PairMode::t_swapped, {b, a}, 1);
  return packed(texels, best);
}

Coded fitted_pairs(const RgbBlock& block, int effort) {
  const Texels texels = texels_of(block);
  const Groups groups = clusters(texels, TEXCAST_ETC2_MEANS(effort));
  const Rgb a = nearest_code(groups.sum[0], groups.count[0]), b = nearest_code(groups.sum[1], groups.count[1]);
  PairFit best;
  for (const PairMode mode : {PairMode::t, PairMode::t_swapped, PairMode::h}) {
    PairFit fit;
    for (size_t d = 0; d < kDistances.size(); ++d)
      try_pair(texels, mode, mode == PairMode::t_swapped ? Pair{b, a} : Pair{a, b}, d, fit);
    for (int n = 0; n < TEXCAST_ETC2_FITS(effort); ++n) refit(texels, fit);
    walk_pair(texels, TEXCAST_ETC2_STEPS(effort), fit);
    if (fit.error < best.error) best = fit;
  }
  return packed(texels, best);
}

}  // namespace texcast::ref::etc
