// etc1_estimate.cpp — the methods of `fast` and `normal`. A texel is its half's colour with the same value added to all
// channels. So, without clamping to 0..255, the error of a half with a colour and a table depends only on the texels'
// sums of channels, and is used as an estimate. The colours that are tried are near the texels' mean, and at the middle
// of their sums on its diagonal.
#include "etc1_fit.h"
#include "etc1_half.h"

namespace texcast::ref::etc {
namespace {

constexpr int kUnit = 3 * 8 * 255;  // white, in thirds of a sum of eight texels

// The n-th code that is tried: nearest to the mean moved along the diagonal to the middle of the sums; nearest to the
// mean; the first with the channel up, and with the one down, that was nearest to being rounded so.
Rgb code_to_try(const Half& half, int n, int bits, const Limits& limits) {
  const int most = (1 << bits) - 1;
  const int moved = n == 1 ? 0 : 4 * (half.least + half.greatest) - (half.sum[0] + half.sum[1] + half.sum[2]);
  Rgb code{}, rest{};
  for (size_t c = 0; c < 3; ++c) {
    const int at = std::clamp(3 * half.sum[c] + moved, 0, kUnit) * most;
    code[c] = (2 * at + kUnit) / (2 * kUnit);
    rest[c] = at - kUnit * code[c];
  }
  if (n == 2) ++code[static_cast<size_t>(std::ranges::max_element(rest) - rest.begin())];
  if (n == 3) --code[static_cast<size_t>(std::ranges::min_element(rest) - rest.begin())];
  for (size_t c = 0; c < 3; ++c) code[c] = std::clamp(code[c], limits.low[c], limits.high[c]);
  return code;
}

using Modifiers = std::array<int, 4>;

Modifiers modifiers(size_t table) {
  const auto [small, large] = kTables[table];
  return {small, large, -small, -large};
}

// The modifiers of the last table, which leave 0..255 most often, are limited where the mean of the base's channels
// reaches that.
Modifiers held_modifiers(size_t table, const Rgb& base) {
  Modifiers held = modifiers(table);
  const int sum = base[0] + base[1] + base[2];
  if (table + 1 == kTables.size())
    for (int& m : held) m = std::clamp(m, -(sum / 3), (3 * 255 - sum) / 3);
  return held;
}

// A texel at distance d from the base, with sum x of its channels' differences, has the error |d|^2 - 2mx + 3m^2 with
// the modifier m.
int estimate_with(const Half& half, const Rgb& base, const Modifiers& modifiers) {
  int error = half.squares;
  for (size_t c = 0; c < 3; ++c) error += 8 * base[c] * base[c] - 2 * base[c] * half.sum[c];
  for (const int sum : half.sums) {
    int least = 1 << 30;
    for (const int m : modifiers) least = std::min(least, 3 * m * m - 2 * m * (sum - base[0] - base[1] - base[2]));
    error += least;
  }
  return error;
}

// Tries the first colours with all useful tables, the others with the best table so far and the next one, without
// limits. Among equal errors the one with the lower table is better, then the first.
HalfFit best_estimate(const Half& half, int bits, const Limits& limits, int effort) {
  HalfFit best{{}, 0, 1 << 30};
  const auto keep_better = [&](const HalfFit& fit) {
    if (fit.error < best.error || (fit.error == best.error && fit.table < best.table)) best = fit;
  };
  const bool is_wide = half.greatest - half.least >= TEXCAST_ETC_WIDE_RANGE;
  const size_t begin = is_wide ? ETC_FIRST_MIDDLE_TABLE : 0, end = is_wide ? kTables.size() : ETC_FIRST_COARSE_TABLE;
  for (int n = 0; n < TEXCAST_ETC_FULL_COLOURS(effort); ++n) {
    const Rgb code = code_to_try(half, n, bits, limits), base = expanded(code, bits);
    for (size_t table = begin; table < end; ++table)
      keep_better({code, table, estimate_with(half, base, held_modifiers(table, base))});
  }
  const size_t first = std::min(best.table, kTables.size() - 2);
  for (int n = TEXCAST_ETC_FULL_COLOURS(effort); n < TEXCAST_ETC_COLOURS(effort); ++n) {
    const Rgb code = code_to_try(half, n, bits, limits), base = expanded(code, bits);
    for (const size_t table : {first, first + 1})
      keep_better({code, table, estimate_with(half, base, modifiers(table))});
  }
  return best;
}

}  // namespace

Coded estimated_halves(const RgbBlock& texels, int effort) {
  HalvesCode best;
  int best_error = 1 << 30;
  for (const bool is_flipped : {false, true}) {
    const Halves halves = {Half(texels, is_flipped, 0), Half(texels, is_flipped, 1)};
    for (const int bits : {4, 5}) {
      const HalfFit first = best_estimate(halves[0], bits, all_codes(bits), effort);
      const Limits limits = bits == 4 ? all_codes(bits) : codes_around(first.code, -4, 3);
      const HalfFit second = best_estimate(halves[1], bits, limits, effort);
      const int error = first.error + second.error;
      if (error >= best_error) continue;
      best_error = error;
      best = {bits, is_flipped, {first.code, second.code}, {first.table, second.table}};
    }
  }
  return {pack_halves(best, nearest_indices(texels, best)), best_error};
}

}  // namespace texcast::ref::etc
