#include "ref/astc_tables.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <map>
#include <mutex>
#include <numbers>
#include <vector>

#include "astc_integers.h"
#include "astc_likely.h"
#include "astc_mode.h"
#include "astc_partition.h"
#include "astc_ranges.h"
#include "astc_weights.h"
#include "base/ensure.h"
#include "kernels/astc.h"
#include "kernels/effort.h"

namespace texcast::ref {
namespace {

using Words = std::vector<uint32_t>;

constexpr uint32_t bytes(int a, int b, int c, int d = 0) {
  return static_cast<uint32_t>(a) | static_cast<uint32_t>(b) << 8 | static_cast<uint32_t>(c) << 16 |
         static_cast<uint32_t>(d) << 24;
}
uint32_t word(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }

void put_ranges(Words& words) {
  for (size_t range = 0; range < kAstcRanges.size(); ++range) {
    const AstcRange& r = kAstcRanges[range];
    words[TEXCAST_ASTC_RANGES + range] = bytes(r.count - 1, r.bits, r.has_trit ? 3 : r.has_quint ? 5 : 0);
    if (range < kAstcFirstColorRange) continue;
    std::vector<int> colors;
    for (int code = 0; code < r.count; ++code) colors.push_back(astc_color(code, static_cast<int>(range)));
    for (int value = 0; value < 256; ++value) {
      const auto nearest = std::ranges::min_element(colors, {}, [&](int color) { return std::abs(color - value); });
      words[TEXCAST_ASTC_COLORS + range * 256 + static_cast<size_t>(value)] =
          static_cast<uint32_t>(*nearest | static_cast<int>(nearest - colors.begin()) << 16);
    }
  }
}

// How the steps of a weight range are computed: kernels/astc.h.
struct Progression {
  double near = 0, rise = 0, first = 0;
  int most = 0;
};

// In 64ths, so that the products in kernels are exact. Among the progressions that give all steps, the one farthest
// from giving a wrong one.
Progression progression_of(int range) {
  std::vector<int> lower;
  for (int code = 0; code < kAstcRanges[static_cast<size_t>(range)].count; ++code)
    if (const int weight = astc_weight(code, range); weight <= 32) lower.push_back(weight);
  std::ranges::sort(lower);
  Progression best{.most = static_cast<int>(lower.size()) - 1};
  if (best.most == 0) return best;
  int least_off = 32;
  // Less than half a weight off at either end.
  const int last = 64 * lower.back();
  for (int rise = (last - 64) / best.most; rise <= (last + 64) / best.most; ++rise)
    for (int first = -32; first <= 32; ++first) {
      int off = 0;
      for (size_t j = 0; j < lower.size(); ++j)
        off = std::max(off, std::abs(rise * static_cast<int>(j) + first - 64 * lower[j]));
      if (off >= least_off) continue;
      least_off = off;
      best.rise = rise / 64.0;
      best.first = first / 64.0;
    }
  ENSURE(least_off < 32);
  // 14 bits, so that the product with a position of 9 bits is exact.
  int exponent = 0;
  const double part = std::frexp(64.0 / TEXCAST_ASTC_PLACES / best.rise, &exponent);
  best.near = std::ldexp(std::floor(part * 16384), exponent - 14);
  return best;
}

// Among packed numbers with the same digits the smallest, which has zeros where a sequence that ends inside the group
// is truncated.
void put_digits(Words& words) {
  for (int packed = 255; packed >= 0; --packed) {
    const auto t = astc_trits(packed);
    words[static_cast<size_t>(TEXCAST_ASTC_TRITS + t[0] + 3 * t[1] + 9 * t[2] + 27 * t[3] + 81 * t[4])] =
        static_cast<uint32_t>(packed);
  }
  for (int packed = 127; packed >= 0; --packed) {
    const auto q = astc_quints(packed);
    words[static_cast<size_t>(TEXCAST_ASTC_QUINTS + q[0] + 5 * q[1] + 25 * q[2])] = static_cast<uint32_t>(packed);
  }
}

// Kernels read two words at once.
static_assert(TEXCAST_ASTC_TRIT_SHARES % 2 == 0);

// The shares of 2 2 1 2 1 bits of packed trits, and of 3 2 2 bits of packed quints.
void put_shares(Words& words) {
  const auto trits = [](uint32_t t, int part) {
    return part == 0 ? (t & 3) | (t >> 2 & 3) << 8 | (t >> 4 & 1) << 16 | (t >> 5 & 3) << 24 : t >> 7;
  };
  for (size_t number = 0; number < 243; ++number)
    for (const int part : {0, 1})
      words[TEXCAST_ASTC_TRIT_SHARES + 2 * number + static_cast<size_t>(part)] =
          trits(words[TEXCAST_ASTC_TRITS + number], part);
  for (size_t number = 0; number < 125; ++number) {
    const uint32_t q = words[TEXCAST_ASTC_QUINTS + number];
    words[TEXCAST_ASTC_QUINT_SHARES + number] = (q & 7) | (q >> 3 & 3) << 8 | (q >> 5 & 3) << 16;
  }
}

// One dimension of a grid: the contribution of each weight to each texel along it.
struct Side {
  std::vector<std::vector<double>> shares;  // [weight][texel]
  double noise = 0;                         // mean square of a texel for independent errors of one in the weights
};

Side side_of(int weights, int texels) {
  Side side;
  side.shares.assign(static_cast<size_t>(weights), std::vector<double>(static_cast<size_t>(texels)));
  for (int texel = 0; texel < texels; ++texel) {
    const int place = astc_place(texel, texels, weights);
    for (const int step : {0, 1}) {
      const int share = step == 0 ? 16 - (place & 15) : place & 15;
      if (share == 0) continue;
      side.shares[static_cast<size_t>((place >> 4) + step)][static_cast<size_t>(texel)] = share / 16.0;
      side.noise += share * share / 256.0 / texels;
    }
  }
  return side;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Gram-Schmidt orthogonalisation: rows of `shares` = lower * basis. The best weights for a row of texels t are lower^-T
// basis t.
void put_side(Words& words, int weights, int texels) {
  const Side side = side_of(weights, texels);
  const auto g = static_cast<size_t>(weights);
  auto basis = side.shares;
  std::vector lower(g, std::vector<double>(g));
  for (size_t i = 0; i < g; ++i) {
    for (size_t j = 0; j < i; ++j) {
      lower[i][j] = dot(basis[i], basis[j]);
      for (size_t x = 0; x < basis[i].size(); ++x) basis[i][x] -= lower[i][j] * basis[j][x];
    }
    lower[i][i] = std::sqrt(dot(basis[i], basis[i]));
    for (double& value : basis[i]) value /= lower[i][i];
  }
  const auto first = static_cast<size_t>(TEXCAST_ASTC_SIDES + weights * TEXCAST_ASTC_SIDE_WORDS);
  for (size_t x = 0; x < static_cast<size_t>(texels); ++x) {
    std::vector<double> best(g);
    for (size_t i = g; i-- > 0;) {
      best[i] = basis[i][x];
      for (size_t j = i + 1; j < g; ++j) best[i] -= lower[j][i] * best[j];
      best[i] /= lower[i][i];
    }
    for (size_t i = 0; i < g; ++i) {
      words[first + TEXCAST_ASTC_SIDE_BEST + 8 * i + x] = word(best[i]);
      words[first + TEXCAST_ASTC_SIDE_DRAWN + 8 * i + x] = word(side.shares[i][x]);
    }
  }
}

// The fraction of the energy of each wave that the weights of a dimension reproduce, computed from put_side()'s words.
std::vector<double> drawn_of(const Words& words, int weights, int texels) {
  const auto at = [&](int table, int i, int x) {
    return static_cast<double>(std::bit_cast<float>(
        words[static_cast<size_t>(TEXCAST_ASTC_SIDES + weights * TEXCAST_ASTC_SIDE_WORDS + table + 8 * i + x)]));
  };
  std::vector<double> drawn;
  for (int wave = 0; wave < texels; ++wave) {
    std::vector<double> values;
    for (int x = 0; x < texels; ++x)
      values.push_back(std::sqrt((wave == 0 ? 1.0 : 2.0) / texels) *
                       std::cos(std::numbers::pi * (x + 0.5) * wave / texels));
    double squares = 0;
    for (int x = 0; x < texels; ++x) {
      double value = 0;
      for (int i = 0; i < weights; ++i)
        for (int from = 0; from < texels; ++from)
          value += at(TEXCAST_ASTC_SIDE_DRAWN, i, x) * at(TEXCAST_ASTC_SIDE_BEST, i, from) *
                   values[static_cast<size_t>(from)];
      squares += value * value;
    }
    drawn.push_back(weights == texels ? 1 : squares);
  }
  return drawn;
}

void put_lost(Words& words, int side) {
  std::vector<std::vector<double>> drawn(2);
  for (int weights = 2; weights <= side; ++weights) drawn.push_back(drawn_of(words, weights, side));
  for (int width = 2; width <= side; ++width)
    for (int height = 2; height <= side; ++height) {
      const auto &across = drawn[static_cast<size_t>(width)], &down = drawn[static_cast<size_t>(height)];
      for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x)
          words[static_cast<size_t>(TEXCAST_ASTC_LOST_OF(width, height) + side * y + x)] =
              word(std::max(0.0, 1 - down[static_cast<size_t>(y)] * across[static_cast<size_t>(x)]));
    }
}

// The bits of a block besides weights and colours, and the number of integers of its colours. (A colour and a scale are
// as many as grey with alpha.)
struct Class {
  int planes, partitions, integers, channels;
  int other_bits() const { return (partitions == 2 ? 29 : 17) + (planes == 2 ? 2 : 0); }
};
constexpr std::array<Class, TEXCAST_ASTC_CLASSES> kClasses = {{{1, 1, 2, 3},
                                                               {1, 1, 4, 4},
                                                               {1, 1, 6, 3},
                                                               {1, 1, 8, 4},
                                                               {2, 1, 6, 3},
                                                               {2, 1, 8, 4},
                                                               {1, 2, 12, 3},
                                                               {1, 2, 16, 4},
                                                               {1, 2, 4, 3},
                                                               {1, 2, 8, 4}}};

// The first block mode of each grid: width, height, planes, range.
using Modes = std::map<std::array<int, 4>, int>;

Modes modes_of(AstcSize size) {
  Modes modes;
  for (int mode = 0; mode < kAstcModes; ++mode)
    if (const auto grid = astc_grid(mode, size); grid && !is_astc_void_extent(mode))
      modes.try_emplace({grid->width, grid->height, grid->planes, grid->range}, mode);
  return modes;
}

struct Layout {
  int weights, colors, mode;
};
constexpr int kMostAlike = 3;

// The layouts of one grid, finest weights first. Coarser weights that make the colours no finer may still fit the
// texels better, but only within a few steps.
std::vector<Layout> layouts_of(const Class& of, AstcGrid grid, const Modes& modes) {
  std::vector<Layout> layouts;
  for (grid.range = kAstcWeightRanges - 1; grid.range >= 0; --grid.range) {
    const auto mode = modes.find({grid.width, grid.height, grid.planes, grid.range});
    if (mode == modes.end()) continue;
    const int room = 128 - of.other_bits() - grid.bits();
    int colors = static_cast<int>(kAstcRanges.size()) - 1;
    while (colors >= kAstcFirstColorRange && astc_sequence_bits(of.integers, colors) > room) --colors;
    if (colors < kAstcFirstColorRange) continue;
    const auto alike = std::ranges::count(layouts, colors, &Layout::colors);
    if (alike >= kMostAlike) continue;
    layouts.push_back({grid.range, colors, mode->second});
  }
  return layouts;
}

double square(double value) { return value * value; }

// The rounding error of a texel whose line has that length: of weights, and of the colours' channels.
double rounding(const Layout& layout, double noise, int channels, double length) {
  const auto steps = [](int range) { return kAstcRanges[static_cast<size_t>(range)].count - 1; };
  return noise * square(length / steps(layout.weights)) / 12 +
         channels * square(255.0 / steps(layout.colors)) / 12 * 2 / 3;
}

// Sorts by the best for lines of middle length, then for long ones, then for short ones, and so on with the rest: an
// encoder that tries a few of a grid's layouts finds one that is nearly the best.
void sort_by_use(std::vector<Layout>& layouts, double noise, int channels) {
  constexpr std::array kLengths = {40.0, 140.0, 12.0, 70.0, 24.0};
  for (size_t taken = 0; taken < layouts.size(); ++taken) {
    const double length = kLengths[taken % kLengths.size()];
    const auto best = std::min_element(
        layouts.begin() + static_cast<std::ptrdiff_t>(taken), layouts.end(), [&](const Layout& a, const Layout& b) {
          return rounding(a, noise, channels, length) < rounding(b, noise, channels, length);
        });
    std::rotate(layouts.begin() + static_cast<std::ptrdiff_t>(taken), best, best + 1);
  }
}

void put_classes(Words& words, int side) {
  const Modes modes = modes_of({side, side});
  std::vector<Progression> progressions;
  for (int range = 0; range < kAstcWeightRanges; ++range) progressions.push_back(progression_of(range));
  size_t count = 0;
  for (size_t c = 0; c < kClasses.size(); ++c) {
    const size_t at = TEXCAST_ASTC_CLASS_GRIDS + c * TEXCAST_ASTC_CLASS_WORDS;
    for (const auto& [width, height] : astc_likely_grids(side, kClasses[c].planes, kClasses[c].partitions)) {
      const double noise = side_of(width, side).noise * side_of(height, side).noise;
      auto layouts = layouts_of(kClasses[c], {width, height, kClasses[c].planes, 0}, modes);
      if (layouts.empty()) continue;
      sort_by_use(layouts, noise, kClasses[c].integers / (2 * kClasses[c].partitions));
      const size_t entry = at + 1 + 2 * words[at]++;
      words[entry] = bytes(width, height, static_cast<int>(layouts.size()));
      words[entry + 1] = static_cast<uint32_t>(count);
      for (const Layout& layout : layouts) {
        ENSURE(count < TEXCAST_ASTC_MAX_LAYOUTS);
        const size_t row = TEXCAST_ASTC_LAYOUTS + TEXCAST_ASTC_LAYOUT_WORDS * count++;
        words[row] = bytes(layout.weights, layout.colors, width, height);
        words[row + 1] = static_cast<uint32_t>(layout.mode);
        const auto steps = [](int range) { return kAstcRanges[static_cast<size_t>(range)].count - 1; };
        const Progression& p = progressions[static_cast<size_t>(layout.weights)];
        words[row + TEXCAST_ASTC_LAYOUT_NEAR] = word(p.near);
        words[row + TEXCAST_ASTC_LAYOUT_RISE] = word(p.rise);
        words[row + TEXCAST_ASTC_LAYOUT_FIRST] = word(p.first);
        words[row + TEXCAST_ASTC_LAYOUT_MOST] = word(p.most);
        // A twelfth of a squared step. Colours anywhere between the end points have a third of that of each end point.
        words[row + TEXCAST_ASTC_LAYOUT_WEIGHTS] = word(noise * side * side / 12 / square(steps(layout.weights)));
        words[row + TEXCAST_ASTC_LAYOUT_COLORS] =
            word(layout.colors == static_cast<int>(kAstcRanges.size()) - 1
                     ? 0
                     : side * side / 3.0 * 2 * kClasses[c].channels * square(255.0 / steps(layout.colors)) / 12);
      }
    }
  }
}

void put_partitions(Words& words, int side) {
  for (const int seed : astc_likely_seeds(side)) {
    const uint64_t second = astc_second_part(seed, side);
    const size_t at = TEXCAST_ASTC_PARTITIONS + 1 + TEXCAST_ASTC_PARTITION_WORDS * words[TEXCAST_ASTC_PARTITIONS]++;
    words[at] = static_cast<uint32_t>(second);
    words[at + 1] = static_cast<uint32_t>(second >> 32);
    words[at + 2] = static_cast<uint32_t>(seed);
  }
}

void put_nearest(Words& words) {
  const uint32_t count = std::min<uint32_t>(TEXCAST_ASTC_PATTERNS(TEXCAST_REFINE_ONCE), words[TEXCAST_ASTC_PARTITIONS]);
  for (uint32_t set = 0; set < 32768; ++set) {
    int least = 16;
    uint32_t nearest = 0;
    for (uint32_t n = 0; n < count; ++n) {
      const int unlike = std::popcount(set ^ words[TEXCAST_ASTC_PARTITIONS + 1 + TEXCAST_ASTC_PARTITION_WORDS * n]);
      const int either = std::min(unlike, 16 - unlike);
      if (either >= least) continue;
      least = either;
      nearest = n;
    }
    words[TEXCAST_ASTC_NEAREST + set / 4] |= nearest << 8 * (set % 4);
  }
}

Words make(int side) {
  Words words(TEXCAST_ASTC_TABLE_WORDS);
  put_ranges(words);
  put_digits(words);
  put_shares(words);
  for (int weights = 2; weights <= side; ++weights) put_side(words, weights, side);
  put_lost(words, side);
  put_classes(words, side);
  put_partitions(words, side);
  if (side == 4) put_nearest(words);
  return words;
}

}  // namespace

std::span<const uint32_t> astc_tables(int side) {
  ENSURE(side == 4 || side == 5 || side == 6 || side == 8);
  static std::array<std::once_flag, TEXCAST_ASTC_MAX_SIDE + 1> once;
  static std::array<Words, TEXCAST_ASTC_MAX_SIDE + 1> made;
  const auto index = static_cast<size_t>(side);
  std::call_once(once[index], [&] { made[index] = make(side); });
  return made[index];
}

}  // namespace texcast::ref
