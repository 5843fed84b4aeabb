#include "ref/eac_alpha.h"

#include <algorithm>

#include "kernels/eac.h"
#include "kernels/effort.h"
#include "kernels/etc_tables.h"

namespace texcast::ref {
namespace {

// Modifiers of indices 0 to 3, which are negative, and 4 to 7.
#define TEXCAST_EAC_ROW(a, b, c, d) {{-1 - (a), -1 - (b), -1 - (c), -1 - (d), a, b, c, d}},
constexpr std::array<std::array<int, 8>, TEXCAST_EAC_TABLES> kEacTables = {{FOR_EACH_EAC_TABLE(TEXCAST_EAC_ROW)}};
#undef TEXCAST_EAC_ROW

struct EacCode {
  int base = 0, multiplier = 0;
  size_t table = 0;
};

int value_of(const EacCode& code, size_t index) {
  return std::clamp(code.base + kEacTables[code.table][index] * code.multiplier, 0, 255);
}

// The index of the nearest value, the first of equally near ones.
size_t nearest_index(const EacCode& code, int value) {
  size_t nearest = 0;
  for (size_t i = 1; i < 8; ++i)
    if (std::abs(value_of(code, i) - value) < std::abs(value_of(code, nearest) - value)) nearest = i;
  return nearest;
}

int error_of(const EacCode& code, const ChannelBlock& texels) {
  int error = 0;
  for (const int value : texels) {
    const int off = value_of(code, nearest_index(code, value)) - value;
    error += off * off;
  }
  return error;
}

}  // namespace

ChannelBlock decode_eac_alpha(std::span<const uint8_t, 8> block) {
  const EacCode code{block[0], block[1] >> 4, static_cast<size_t>(block[1] & 15)};
  uint64_t bits = 0;
  for (size_t i = 2; i < 8; ++i) bits = bits << 8 | block[i];
  ChannelBlock texels{};
  for (size_t i = 0; i < 16; ++i) {
    const size_t at = i % 4 * 4 + i / 4;  // column by column, the topmost first
    texels[i] = value_of(code, bits >> (45 - 3 * at) & 7);
  }
  return texels;
}

EacBlock encode_eac_alpha(const ChannelBlock& texels, Method method) {
  const int effort = static_cast<int>(method);
  const int more_multipliers = TEXCAST_EAC_ALPHA_MULTIPLIERS(effort), more_bases = TEXCAST_EAC_ALPHA_BASES(effort);
  const auto [low, high] = std::minmax_element(texels.begin(), texels.end());
  EacCode best;
  int best_error = 16 * 255 * 255 + 1;
  for (size_t table = 0; table < TEXCAST_EAC_TABLES; ++table) {
    // The multiplier at which the table spans the texels: its smallest modifier is their minimum, its largest their
    // maximum.
    const int least = kEacTables[table][3], greatest = kEacTables[table][7];
    const int spanning = (2 * (*high - *low) + greatest - least) / (2 * (greatest - least));
    for (int m = std::max(spanning - more_multipliers, 0); m <= std::min(spanning + more_multipliers, 15); ++m) {
      const int centre = std::min((*high + *low - m * (greatest + least)) / 2, 255);
      for (int base = std::max(centre - more_bases, 0); base <= std::min(centre + more_bases, 255); ++base) {
        const EacCode code{base, m, table};
        const int error = error_of(code, texels);
        if (error >= best_error) continue;
        best = code;
        best_error = error;
      }
    }
  }
  uint64_t indices = 0;
  for (size_t i = 0; i < 16; ++i) {
    const size_t at = i % 4 * 4 + i / 4;
    indices |= static_cast<uint64_t>(nearest_index(best, texels[i])) << (45 - 3 * at);
  }
  EacBlock block = {static_cast<uint8_t>(best.base),
                    static_cast<uint8_t>(best.multiplier << 4 | static_cast<int>(best.table))};
  for (size_t i = 0; i < 6; ++i) block[2 + i] = static_cast<uint8_t>(indices >> (40 - 8 * i));
  return block;
}

}  // namespace texcast::ref
