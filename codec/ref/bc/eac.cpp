#include "ref/eac.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ensure.h"
#include "kernels/eac.h"
#include "kernels/effort.h"

namespace texcast::ref {
namespace {

using Modifiers = std::array<int, 8>;
#define TEXCAST_MODIFIERS(a, b, c, d) {-1 - (a), -1 - (b), -1 - (c), -1 - (d), a, b, c, d},
constexpr std::array<Modifiers, TEXCAST_EAC_TABLES> kModifiers = {{FOR_EACH_EAC_TABLE(TEXCAST_MODIFIERS)}};
#undef TEXCAST_MODIFIERS

// A block without its indices. The base counts from 0 in either range.
struct EacFit {
  int base = 0, multiplier = 0, table = 0;
  int error = INT32_MAX;  // sum of squares, times 4

  auto key() const { return std::tuple(error, multiplier, table, base); }
};

int last_base(EacRange range) { return range == EacRange::unsigned_codes ? 255 : 254; }
// The value of base 0.
int eac_offset(EacRange range) { return range == EacRange::unsigned_codes ? 4 : 7; }

// The eight values of a block.
Modifiers eac_palette(const EacFit& fit, EacRange range) {
  const int middle = 8 * fit.base + eac_offset(range);
  Modifiers values{};
  for (size_t i = 0; i < 8; ++i) {
    const int modifier = kModifiers[static_cast<size_t>(fit.table)][i];
    values[i] =
        std::clamp(middle + (fit.multiplier == 0 ? modifier : 8 * fit.multiplier * modifier), 0, eac_top(range));
  }
  return values;
}

int eac_error(const ChannelBlock& texels, const EacFit& fit, EacRange range) {
  const Modifiers palette = eac_palette(fit, range);
  ChannelBlock nearest{};
  nearest.fill(eac_top(range));
  for (const int value : palette)
    for (size_t i = 0; i < 16; ++i) nearest[i] = std::min(nearest[i], std::abs(texels[i] - value));
  int sum = 0;
  for (const int distance : nearest) sum += distance * distance;
  return 4 * sum;
}

// A table's values are on both sides of a middle, at a distance of the multiplier times 5, 11, 17 and 29, or as in the
// table. Everything here is counted in halves, as the middle is half a value off if the multiplier is 0.
struct Sides {
  int middle, step;
  std::array<int, 4> levels;

  Sides(const EacFit& fit, EacRange range) : middle(0), step(fit.multiplier == 0 ? 1 : 8 * fit.multiplier) {
    middle = 2 * (8 * fit.base + eac_offset(range)) - step;
    for (size_t i = 0; i < 4; ++i) levels[i] = step * (2 * kModifiers[static_cast<size_t>(fit.table)][4 + i] + 1);
  }
};

// The distances of the texels beyond the nearest values on their side of the middle. Clamping to the range is ignored.
struct Rests {
  int sum = 0, squares = 0;  // a texel below the middle counts negative in the sum
};

Rests rests_of(const ChannelBlock& texels, const EacFit& fit, EacRange range) {
  const Sides sides(fit, range);
  Rests rests;
  for (const int texel : texels) {
    const int offset = 2 * texel - sides.middle, distance = std::abs(offset);
    size_t nearest = 0;
    for (size_t i = 1; i < 4; ++i)
      if (2 * distance >= sides.levels[i - 1] + sides.levels[i]) nearest = i;
    const int rest = distance - sides.levels[nearest];
    rests.sum += offset < 0 ? -rest : rest;
    rests.squares += rest * rest;
  }
  return rests;
}

// Moves the base to the optimum for the texels' present values, and computes the resulting error.
EacFit follow_texels(const ChannelBlock& texels, EacFit fit, EacRange range) {
  const Rests rests = rests_of(texels, fit, range);
  // The mean of 16 in steps of a base, which are 16 halves each; rounded, halves up.
  int moved = (rests.sum + 128) >> 8;
  if (fit.base + moved < 0 || fit.base + moved > last_base(range)) moved = 0;
  fit.base += moved;
  fit.error = rests.squares - 32 * moved * rests.sum + 16 * 256 * moved * moved;
  return fit;
}

struct EacEffort {
  int multipliers, added, starts, kept, rounds, window;
  bool all;
};

EacEffort eac_effort(Method method) {
  ENSURE(has_method(TextureFormat::eac_r11, method));
  const auto m = static_cast<int>(method);
  return {.multipliers = TEXCAST_EAC_MULTIPLIERS(m),
          .added = TEXCAST_EAC_ADDED(m),
          .starts = TEXCAST_EAC_STARTS(m),
          .kept = TEXCAST_EAC_KEPT(m),
          .rounds = TEXCAST_EAC_ROUNDS(m),
          .window = TEXCAST_EAC_WINDOW(m),
          .all = TEXCAST_EAC_ALL(m) != 0};
}

// All likely settings: each table with some multipliers, the base at some places around the middle of the extremes.
std::vector<EacFit> likely_settings(int low, int high, EacRange range, const EacEffort& effort) {
  std::vector<EacFit> settings;
  for (int table = 0; table < TEXCAST_EAC_TABLES; ++table) {
    const int widest = 2 * kModifiers[static_cast<size_t>(table)][7] + 1;
    const int first = (high - low + effort.added * widest) / (8 * widest);
    const int end = std::min(first + effort.multipliers, 16);
    for (int multiplier = first; multiplier < end; ++multiplier)
      for (int start = 0; start < effort.starts; ++start) {
        EacFit fit{.multiplier = multiplier, .table = table};
        const int step = fit.multiplier == 0 ? 1 : 8 * fit.multiplier;
        const int middle = low + high + (start - effort.starts / 2) * 3 * step;
        fit.base = std::clamp((middle - 2 * eac_offset(range) + step + 8) >> 4, 0, last_base(range));
        settings.push_back(fit);
      }
  }
  return settings;
}

// The `count` settings of least error at their present base. Errors are compared by the upper 24 bits of a float, so
// that one word holds the error and the setting; equal ones are ordered by multiplier and table.
std::vector<EacFit> least_of(const ChannelBlock& texels, std::vector<EacFit> settings, EacRange range, size_t count) {
  const auto key = [&](const EacFit& fit) {
    const auto error = static_cast<float>(rests_of(texels, fit, range).squares) / 4;
    return (std::bit_cast<uint32_t>(error) & ~255U) | static_cast<uint32_t>(fit.multiplier << 4 | fit.table);
  };
  std::ranges::sort(settings, {}, key);
  settings.resize(count);
  return settings;
}

// The best of the likely settings, by follow_texels().
EacFit likely_fit(const ChannelBlock& texels, int low, int high, EacRange range, const EacEffort& effort) {
  std::vector<EacFit> settings = likely_settings(low, high, range, effort);
  if (effort.kept > 0) settings = least_of(texels, std::move(settings), range, static_cast<size_t>(effort.kept));
  EacFit best;
  for (EacFit fit : settings)
    for (int round = 0; round < effort.rounds; ++round) {
      fit = follow_texels(texels, fit, range);
      if (fit.error < best.error) best = fit;
    }
  return best;
}

void try_eac(const ChannelBlock& texels, EacFit fit, EacRange range, EacFit& best) {
  if (fit.base < 0 || fit.base > last_base(range)) return;
  fit.error = eac_error(texels, fit, range);
  if (fit.error < best.error) best = fit;
}

// The best of all settings; among equals the one with the smallest multiplier, then table, then base. Moving the base
// by one moves each value by at most 8, so the square root of the error by at most 32 (64 in halves): bases near to one
// that is much worse than the best are skipped by this bound.
void search_all(const ChannelBlock& texels, EacRange range, EacFit& best) {
  EacFit fit;
  for (fit.multiplier = 0; fit.multiplier < 16; ++fit.multiplier)
    for (fit.table = 0; fit.table < TEXCAST_EAC_TABLES; ++fit.table)
      for (fit.base = 0; fit.base <= last_base(range);) {
        fit.error = eac_error(texels, fit, range);
        if (fit.key() < best.key()) best = fit;
        const double worse = std::sqrt(fit.error) - std::sqrt(best.error);
        fit.base += 1 + std::max(static_cast<int>((worse - 0.01) / 64), 0);
      }
}

EacBlock pack_eac(const ChannelBlock& texels, const EacFit& fit, EacRange range) {
  const Modifiers palette = eac_palette(fit, range);
  // Among equally near values the one of the smaller modifier wins, above the middle before below it.
  constexpr std::array<size_t, 8> kFromTheMiddle = {4, 0, 5, 1, 6, 2, 7, 3};
  uint64_t bits = 0;
  for (size_t x = 0; x < 4; ++x)
    for (size_t y = 0; y < 4; ++y) {
      const int texel = texels[4 * y + x];
      const size_t index =
          *std::ranges::min_element(kFromTheMiddle, {}, [&](size_t i) { return std::abs(texel - palette[i]); });
      bits = bits << 3 | index;
    }
  const int base = range == EacRange::unsigned_codes ? fit.base : fit.base - 127;
  EacBlock block{static_cast<uint8_t>(base), static_cast<uint8_t>(fit.multiplier << 4 | fit.table)};
  for (size_t i = 0; i < 6; ++i) block[2 + i] = static_cast<uint8_t>(bits >> (40 - 8 * i));
  return block;
}

}  // namespace

int eac_value(int fine, EacRange range) {
  const uint64_t scale = range == EacRange::unsigned_codes ? TEXCAST_EAC_SCALE : TEXCAST_EAC_SIGNED_SCALE;
  return static_cast<int>((static_cast<uint64_t>(fine) + TEXCAST_EAC_HALF) * scale >> 32);
}

int eac_unorm16(int value, EacRange range) {
  const int top = eac_top(range);
  return (2 * 65535 * value + top) / (2 * top);
}

ChannelBlock decode_eac(std::span<const uint8_t, 8> block, EacRange range) {
  uint64_t bits = 0;
  for (const uint8_t byte : block) bits = bits << 8 | byte;
  const int base = range == EacRange::unsigned_codes
                       ? block[0]
                       : std::max(static_cast<int>(static_cast<int8_t>(block[0])), -127) + 127;
  const Modifiers values = eac_palette({.base = base, .multiplier = block[1] >> 4, .table = block[1] & 15}, range);
  ChannelBlock texels{};
  for (size_t x = 0; x < 4; ++x)
    for (size_t y = 0; y < 4; ++y) texels[4 * y + x] = values[bits >> (45 - 3 * (4 * x + y)) & 7];
  return texels;
}

EacBlock encode_eac(const ChannelBlock& values, EacRange range, Method method) {
  const EacEffort effort = eac_effort(method);
  const auto [low, high] = std::ranges::minmax(values);
  ENSURE(low >= 0 && high <= eac_top(range));
  EacFit best = likely_fit(values, low, high, range, effort);
  best.error = eac_error(values, best, range);
  const EacFit near = best;
  for (int moved = -effort.window; moved <= effort.window; ++moved) {
    if (moved == 0) continue;
    EacFit fit = near;
    fit.base += moved;
    try_eac(values, fit, range, best);
  }
  if (effort.all && best.error > 0) search_all(values, range, best);
  return pack_eac(values, best, range);
}

}  // namespace texcast::ref
