// etc1_fit.cpp — the methods of `high` and `best`. A texel is its half's colour with the same value added to all
// channels. So, without clamping to 0..255, the error of a half is that of its mean to the colour, plus one that
// depends only on the colour's sum of channels and on the table. Hence for each sum near the texels', the one colour is
// tried that is nearest to their mean. Clamping is estimated along the sum of channels, which is exact for grays; the
// last choices are made by the true error.
#include "etc1_fit.h"

#include <cstdlib>

#include "etc1_half.h"

namespace texcast::ref::etc {
namespace {

// Among the codes whose channels add up to `sum`, the one nearest to the texels' mean, then limited.
Rgb code_of_sum(const Half& half, int sum, int bits, const Limits& limits) {
  constexpr int kUnit = 8 * 255;          // the sums below, per step of a code
  constexpr int kAbove = 64 * 3 * kUnit;  // keeps the dividends positive
  const int most = (1 << bits) - 1;
  const int towards = sum * kUnit - (half.sum[0] + half.sum[1] + half.sum[2]) * most;
  Rgb code{}, rest{};
  int total = 0;
  for (size_t c = 0; c < 3; ++c) {
    const int at = 3 * half.sum[c] * most + towards;
    code[c] = (at + 3 * kUnit / 2 + kAbove) / (3 * kUnit) - 64;
    rest[c] = at - 3 * kUnit * code[c];
    total += code[c];
  }
  // Rounded independently they may miss the sum by one: the channel that was nearest to being rounded so is adjusted.
  if (total > sum) --code[static_cast<size_t>(std::ranges::min_element(rest) - rest.begin())];
  if (total < sum) ++code[static_cast<size_t>(std::ranges::max_element(rest) - rest.begin())];
  for (size_t c = 0; c < 3; ++c) code[c] = std::clamp(code[c], limits.low[c], limits.high[c]);
  return code;
}

// Three times the error with a base colour and a table, as far as it follows from sums of channels.
int estimate(const Half& half, const Rgb& base, size_t table) {
  const int sum = base[0] + base[1] + base[2];
  int to_base = half.squares, along = half.sum_squares + 8 * sum * sum;
  for (size_t c = 0; c < 3; ++c) {
    to_base += 8 * base[c] * base[c] - 2 * base[c] * half.sum[c];
    along -= 2 * sum * half.sum[c];
  }
  int off = 0;
  for (const int value : half.sums) {
    int nearest = 3 * 255;
    for (const int modifier :
         {kTables[table].first, kTables[table].second, -kTables[table].first, -kTables[table].second})
      nearest = std::min(nearest, std::abs(value - std::clamp(sum + 3 * modifier, 0, 3 * 255)));
    off += nearest * nearest;
  }
  return 3 * to_base - along + off;
}

// The table whose large modifier is the nearest to the one that reaches all texels.
int reaching_table(const Half& half, const Rgb& base) {
  const int sum = base[0] + base[1] + base[2];
  const int reach = std::max(half.greatest - sum, sum - half.least);
  int table = 0;
  for (size_t t = 0; t + 1 < kTables.size(); ++t)
    if (2 * reach > 3 * (kTables[t].second + kTables[t + 1].second)) ++table;
  return table;
}

int half_error(const Half& half, const Rgb& code, size_t table, int bits) {
  return painted_error(half.texels, half_paints(expanded(code, bits), table));
}

// Whether a colour of the palette leaves 0..255. If none does, the estimate was the error.
bool is_clamped(const Rgb& base, size_t table) {
  const int large = kTables[table].second;
  return std::ranges::min(base) < large || std::ranges::max(base) > 255 - large;
}

// Moves to the best of the neighbours, which form a cube, with the tables next to the present one.
void walk(const Half& half, int bits, const Limits& limits, int steps, HalfFit& fit) {
  for (int step = 0; step < steps && fit.error > 0; ++step) {
    const HalfFit from = fit;
    const int by = TEXCAST_ETC_STEP_SIZE(step);
    for (int n = 0; n < 27; ++n) {
      const Rgb code = {from.code[0] + by * (n / 9 - 1), from.code[1] + by * (n / 3 % 3 - 1),
                        from.code[2] + by * (n % 3 - 1)};
      bool is_within = true;
      for (size_t c = 0; c < 3; ++c) is_within = is_within && code[c] >= limits.low[c] && code[c] <= limits.high[c];
      if (!is_within) continue;
      const size_t first = from.table == 0 ? 0 : from.table - 1, last = std::min(from.table + 1, size_t{7});
      for (size_t table = first; table <= last; ++table) {
        const int error = half_error(half, code, table, bits);
        if (error < fit.error) fit = {code, table, error};
      }
    }
    if (fit.error == from.error && by == 1) return;
  }
}

HalfFit fit_half(const Half& half, int bits, const Limits& limits, int effort) {
  const int most = (1 << bits) - 1;
  HalfFit best;
  int best_estimate = 1 << 30;
  const auto try_sum = [&](int sum) {
    const Rgb code = code_of_sum(half, sum, bits, limits), base = expanded(code, bits);
    const int reaching = reaching_table(half, base);
    const int first = std::max(reaching - TEXCAST_ETC_TABLES_BELOW(effort), 0);
    const int last = std::min(reaching + TEXCAST_ETC_TABLES_ABOVE(effort), 7);
    for (int t = first; t <= last; ++t) {
      const auto table = static_cast<size_t>(t);
      const int error = estimate(half, base, table);
      if (error >= best_estimate) continue;
      best_estimate = error;
      best.code = code;
      best.table = table;
    }
  };
  const int mean = ((half.sum[0] + half.sum[1] + half.sum[2]) * most + 8 * 255 / 2) / (8 * 255);
  const int middle = ((half.least + half.greatest) * most + 255) / (2 * 255);
  const int near_mean = TEXCAST_ETC_NEAR_MEAN(effort), near_middle = TEXCAST_ETC_NEAR_MIDDLE(effort);
  for (int n = -near_mean; n <= near_mean; ++n) try_sum(mean + n);
  for (int n = -near_middle; n <= near_middle; ++n) try_sum(middle + n);
  best.error = half_error(half, best.code, best.table, bits);
  if (TEXCAST_ETC_WALKS_ALWAYS(effort) != 0 || is_clamped(expanded(best.code, bits), best.table))
    walk(half, bits, limits, TEXCAST_ETC_STEPS(effort), best);
  return best;
}

bool is_close(const Fits& fits) {
  for (size_t c = 0; c < 3; ++c) {
    const int difference = fits[1].code[c] - fits[0].code[c];
    if (difference < -4 || difference > 3) return false;
  }
  return true;
}

// Two halves of 5 bits that are close enough: the best ones if they are, else one is limited to the other's
// neighbourhood.
Fits fit_close(const Halves& halves, int effort) {
  const Limits all = all_codes(5);
  const Fits apart = {fit_half(halves[0], 5, all, effort), fit_half(halves[1], 5, all, effort)};
  if (is_close(apart)) return apart;
  const auto second_to = [&](const HalfFit& first) {
    return Fits{first, fit_half(halves[1], 5, codes_around(first.code, -4, 3), effort)};
  };
  Fits best = second_to(apart[0]);
  const auto keep_better = [&](const Fits& other) {
    if (other[0].error + other[1].error < best[0].error + best[1].error) best = other;
  };
  keep_better({fit_half(halves[0], 5, codes_around(apart[1].code, -3, 4), effort), apart[1]});
  Rgb between{};
  for (size_t c = 0; c < 3; ++c) between[c] = (apart[0].code[c] + apart[1].code[c] + 1) / 2;
  keep_better(second_to(fit_half(halves[0], 5, codes_around(between, -2, 2), effort)));
  return best;
}

}  // namespace

Indices nearest_indices(const RgbBlock& texels, const HalvesCode& code) {
  Indices indices{};
  for (size_t i = 0; i < 16; ++i) {
    const size_t half = (code.is_flipped ? i / 4 : i % 4) < 2 ? 0 : 1;
    indices[i] = nearest_paint(texel(texels, i), half_paints(expanded(code.color[half], code.bits), code.table[half]));
  }
  return indices;
}

Coded fitted_halves(const RgbBlock& texels, int effort) {
  HalvesCode best;
  int best_error = 1 << 30;
  for (const bool is_flipped : {false, true}) {
    const Halves halves = {Half(texels, is_flipped, 0), Half(texels, is_flipped, 1)};
    for (const int bits : {4, 5}) {
      const Limits all = all_codes(4);
      const Fits fits = bits == 5 ? fit_close(halves, effort)
                                  : Fits{fit_half(halves[0], 4, all, effort), fit_half(halves[1], 4, all, effort)};
      const int error = fits[0].error + fits[1].error;
      if (error >= best_error) continue;
      best_error = error;
      best = {bits, is_flipped, {fits[0].code, fits[1].code}, {fits[0].table, fits[1].table}};
    }
  }
  return {pack_halves(best, nearest_indices(texels, best)), best_error};
}

}  // namespace texcast::ref::etc
