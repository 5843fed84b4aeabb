// astc_tables_view.h — reads the tables (ref/astc_tables.h).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/astc.h"
#include "ref/astc_tables.h"

namespace texcast::ref::astc {

struct Layout {
  int weight_range, color_range, width, height, mode;
  float near, rise, first, most;  // the weights' steps (astc_steps.h)
  // On average; the error of weights is proportional to the squared length of the line.
  float weights_rounding, colors_rounding;
};
struct Grid {
  int width, height, layouts, first;
};
struct Nearest {
  float value;
  int code;
};

class Tables {
 public:
  explicit Tables(int side) : words_(astc_tables(side)) {}

  // For a value 0..255, a whole number.
  Nearest color(int range, float value) const {
    const uint32_t w = word(TEXCAST_ASTC_COLORS + 256 * range + static_cast<int>(value));
    return {static_cast<float>(w & 0xFFFF), static_cast<int>(w >> 16)};
  }
  int last_step(int range) const { return static_cast<int>(word(TEXCAST_ASTC_RANGES + range) & 255); }
  int range_bits(int range) const { return static_cast<int>(word(TEXCAST_ASTC_RANGES + range) >> 8 & 255); }
  int range_digits(int range) const { return static_cast<int>(word(TEXCAST_ASTC_RANGES + range) >> 16); }
  int trits(int digits) const { return static_cast<int>(word(TEXCAST_ASTC_TRITS + digits)); }
  int quints(int digits) const { return static_cast<int>(word(TEXCAST_ASTC_QUINTS + digits)); }

  float best(int weights, int weight, int texel) const {
    return real(side(weights) + TEXCAST_ASTC_SIDE_BEST + 8 * weight + texel);
  }
  float drawn(int weights, int weight, int texel) const {
    return real(side(weights) + TEXCAST_ASTC_SIDE_DRAWN + 8 * weight + texel);
  }

  int grids(int of_class) const { return static_cast<int>(word(class_at(of_class))); }
  Grid grid(int of_class, int number) const {
    const int at = class_at(of_class) + 1 + 2 * number;
    const uint32_t w = word(at);
    return {static_cast<int>(w & 255), static_cast<int>(w >> 8 & 255), static_cast<int>(w >> 16),
            static_cast<int>(word(at + 1))};
  }
  Layout layout(int number) const {
    const int at = TEXCAST_ASTC_LAYOUTS + TEXCAST_ASTC_LAYOUT_WORDS * number;
    const uint32_t w = word(at);
    return {static_cast<int>(w & 255),
            static_cast<int>(w >> 8 & 255),
            static_cast<int>(w >> 16 & 255),
            static_cast<int>(w >> 24),
            static_cast<int>(word(at + 1)),
            real(at + TEXCAST_ASTC_LAYOUT_NEAR),
            real(at + TEXCAST_ASTC_LAYOUT_RISE),
            real(at + TEXCAST_ASTC_LAYOUT_FIRST),
            real(at + TEXCAST_ASTC_LAYOUT_MOST),
            real(at + TEXCAST_ASTC_LAYOUT_WEIGHTS),
            real(at + TEXCAST_ASTC_LAYOUT_COLORS)};
  }
  // The fraction of a wave's energy that a grid loses; `down` and `across` are the wave's indices.
  float lost(const Grid& grid, int side, int down, int across) const {
    return real(TEXCAST_ASTC_LOST_OF(grid.width, grid.height) + side * down + across);
  }
  int partitions() const { return static_cast<int>(word(TEXCAST_ASTC_PARTITIONS)); }
  uint64_t partition(int number) const {  // a bit for each texel of the second part
    const int at = partition_at(number);
    return word(at) | static_cast<uint64_t>(word(at + 1)) << 32;
  }
  int seed(int number) const { return static_cast<int>(word(partition_at(number) + 2)); }

 private:
  uint32_t word(int at) const { return words_[static_cast<size_t>(at)]; }
  float real(int at) const { return std::bit_cast<float>(word(at)); }
  static int side(int weights) { return TEXCAST_ASTC_SIDES + TEXCAST_ASTC_SIDE_WORDS * weights; }
  static int class_at(int of_class) { return TEXCAST_ASTC_CLASS_GRIDS + TEXCAST_ASTC_CLASS_WORDS * of_class; }
  static int partition_at(int number) { return TEXCAST_ASTC_PARTITIONS + 1 + TEXCAST_ASTC_PARTITION_WORDS * number; }
  std::span<const uint32_t> words_;
};

}  // namespace texcast::ref::astc
