// transform_syntax.h — the symbols of transform slices, for encoders and decoders: lossy slices whose macroblocks have
// a prediction and a transformed residual (docs/compact.md). The order is that of macroblock_symbols.h.
//
// A transform slice is a lossy slice whose content class is Content::transform. Its contexts are numbered apart from
// those of other slices, but for vectors and literal bits, which both share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "compact/content.h"
#include "compact/contexts.h"
#include "compact/motion_vector.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

inline constexpr int kMacroblockSide = 16;  // pixels
inline constexpr int kTransformSide = 8;    // texels of a component
inline constexpr int kCoefficients = kTransformSide * kTransformSide;
inline constexpr int kMostMacroblocks = (kTileWidth / kMacroblockSide) * (kTileHeight / kMacroblockSide);
inline constexpr int kMacroblockColumns = kTileWidth / kMacroblockSide;
inline constexpr int kTransformComponents = 3;      // Y', Co and Cg
inline constexpr int kMostTransformBlocks = 4;      // of a macroblock in a component
inline constexpr int kMostTransformSubSlices = 2;   // into which a tile of transform slices is divided
inline constexpr int kMostTransformQuantiser = 51;  // doubling the step every 6, as in H.264 and HEVC

enum class MacroblockMode : uint8_t {
  skip,         // inter at the predicted vector, without a residual
  inter,        // inter at the predicted vector
  inter_coded,  // inter; the vector is coded as the difference from the predicted one
  intra_dc,     // intra modes: of each transform block from the texels on its left and above
  intra_horizontal,
  intra_vertical,
  intra_planar,
};
inline constexpr int kMacroblockModes = 7;
inline bool is_intra(MacroblockMode mode) { return mode >= MacroblockMode::intra_dc; }

struct Macroblock {
  MacroblockMode mode{};
  MotionVector vector{};  // in quarter pixels; intra: the predicted one
  // A bit for each transform block of a component, row * 2 + column: it has coefficients.
  std::array<uint8_t, kTransformComponents> coded{};
};

// Quantised coefficients, row by row, the lowest frequency first.
using TransformLevels = std::array<int16_t, kCoefficients>;
// Those of a macroblock; only blocks with a bit in Macroblock::coded are valid.
using MacroblockLevels = std::array<std::array<TransformLevels, kMostTransformBlocks>, kTransformComponents>;

namespace transform_context {
using context::Group;
inline constexpr Group kMode{40, 2 * 9};
inline constexpr Group kCodedLuma{kMode.end(), 2 * 3};
inline constexpr Group kCodedChroma{kCodedLuma.end(), 2 * 2 * 3};
inline constexpr Group kLast{kCodedChroma.end(), 2};
inline constexpr Group kLastMagnitude{kLast.end(), 6};
inline constexpr Group kMagnitude{kLastMagnitude.end(), 6 * 7};
inline constexpr Group kEscape{kMagnitude.end(), 1};
inline constexpr int kEnd = kEscape.end();
static_assert(kMode.first == context::kDistance.end() && kEnd <= context::kLiteral.first);
}  // namespace transform_context

// The order of coefficients: from the lowest frequency to the highest, in zigzag.
struct ZigzagScan {
  std::array<uint8_t, kCoefficients> at{};  // row * 8 + column
  constexpr ZigzagScan() {
    int i = 0;
    for (int sum = 0; sum < 2 * kTransformSide - 1; ++sum)
      for (int step = 0; step <= sum; ++step) {
        const int row = sum % 2 == 0 ? sum - step : step, column = sum - row;
        if (row < kTransformSide && column < kTransformSide)
          at[static_cast<size_t>(i++)] = static_cast<uint8_t>(row * kTransformSide + column);
      }
  }
};
inline constexpr ZigzagScan kZigzag;
// The places in that order, by row * 8 + column.
struct ZigzagPlaces {
  std::array<uint8_t, kCoefficients> of{};
  constexpr ZigzagPlaces() {
    for (size_t i = 0; i < kCoefficients; ++i) of[kZigzag.at[i]] = static_cast<uint8_t>(i);
  }
};
inline constexpr ZigzagPlaces kZigzagPlaces;

// The place of the last coefficient is coded as a class, and literal bits for the place within it.
inline constexpr std::array<uint8_t, 16> kLastFirst{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48};
inline constexpr std::array<uint8_t, 16> kLastBits{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 4};
struct LastClasses {
  std::array<uint8_t, kCoefficients> of{};
  constexpr LastClasses() {
    for (size_t last = 0; last < kCoefficients; ++last) {
      size_t last_class = kLastFirst.size() - 1;
      while (kLastFirst[last_class] > last) --last_class;
      of[last] = static_cast<uint8_t>(last_class);
    }
  }
};
inline constexpr LastClasses kLastClasses;
inline size_t last_class_of(int last) { return kLastClasses.of[static_cast<size_t>(last)]; }

// Magnitudes up to 14 are symbols; 15 is an escape, followed by the number of literal bits n and the bits: 15 + 2^n - 1
// + bits.
inline constexpr int kMagnitudeEscape = 15;
inline constexpr int kMostMagnitudeBits = 14;

// By the modes of the macroblocks on the left and above: 0 none or skip, 1 inter, 2 intra.
inline int mode_class(MacroblockMode mode) {
  return mode == MacroblockMode::skip ? 0 : compact::is_intra(mode) ? 2 : 1;
}
inline int mode_context(bool intra_slice, int left, int above) {
  return transform_context::kMode.first + (intra_slice ? 9 : 0) + left * 3 + above;
}
// `neighbours`: how many of the macroblocks on the left and above have luma coefficients.
inline int coded_luma_context(bool intra, int neighbours) {
  return transform_context::kCodedLuma.first + (intra ? 3 : 0) + neighbours;
}
// `earlier`: 0 for the first chroma component; for the second, 1 or 2 if the first has no coefficients, or has some.
inline int coded_chroma_context(bool intra, bool luma, int earlier) {
  return transform_context::kCodedChroma.first + (intra ? 6 : 0) + (luma ? 3 : 0) + earlier;
}
inline int last_context(bool intra) { return transform_context::kLast.first + (intra ? 1 : 0); }
// The zone of a coefficient by its diagonal.
constexpr int zone_of(int position) {
  constexpr std::array<uint8_t, 2 * kTransformSide - 1> kZones{0, 1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5};
  return kZones[static_cast<size_t>(position / kTransformSide + position % kTransformSide)];
}
inline int last_magnitude_context(int position) { return transform_context::kLastMagnitude.first + zone_of(position); }
// The context of a magnitude: the class of the sum of five magnitudes on the right and below, each limited to 15, is
// added to the first context of the zone (CodedMagnitudes).
constexpr int neighbours_class(int sum) {
  constexpr std::array<uint8_t, 10> kClasses{0, 1, 2, 3, 4, 4, 5, 5, 5, 6};
  return kClasses[static_cast<size_t>(std::min(sum, 9))];
}
constexpr int first_magnitude_context(int position) {
  return transform_context::kMagnitude.first + zone_of(position) * 7;
}
// The predictor of a macroblock's vector, from those in the same tile or sub-slice. `vectors` has four in a row; those
// of intra macroblocks are their predictors. In the first row it is the vector on the left, in the first column the one
// above, and otherwise the median of these two and the one above on the right, or on the left if there is none.
inline MotionVector predicted_vector(const std::array<MotionVector, kMostMacroblocks>& vectors, int column, int row,
                                     int columns) {
  const auto at = [&](int x, int y) { return vectors[static_cast<size_t>(y * kMacroblockColumns + x)]; };
  if (row == 0) return column == 0 ? MotionVector{} : at(column - 1, 0);
  if (column == 0) return at(0, row - 1);
  const MotionVector left = at(column - 1, row), above = at(column, row - 1);
  const MotionVector third = column + 1 < columns ? at(column + 1, row - 1) : at(column - 1, row - 1);
  const auto median = [](int a, int b, int c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); };
  return {median(left.x, above.x, third.x), median(left.y, above.y, third.y)};
}

// The header of a transform slice, which is the same in all slices that have several tiles. It is read with any tables,
// as literal bits have the same probabilities in all. Its first symbols are those of other lossy slices
// (read_slice_header()), so that content_class tells them apart.
inline constexpr int kTransformHeaderSymbols = 3;
// Returns the quantiser; -1: this is no transform slice, or its quantiser is invalid. `Reader` has bits(count).
template <typename Reader>
int read_transform_header(Reader& reader, bool intra) {
  const int high = intra ? 0 : static_cast<int>(reader.bits(4)) << 2;
  if (reader.bits(2) != static_cast<uint32_t>(Content::transform)) return -1;
  const int quantiser = intra ? static_cast<int>(reader.bits(6)) : high | static_cast<int>(reader.bits(2));
  return quantiser <= kMostTransformQuantiser ? quantiser : -1;
}
// `Sink` has bits(value, count).
template <typename Sink>
void put_transform_header(Sink& sink, bool intra, int quantiser) {
  const auto value = static_cast<uint32_t>(quantiser);
  if (!intra) sink.bits(value >> 2, 4);
  sink.bits(static_cast<uint32_t>(Content::transform), 2);
  if (intra)
    sink.bits(value, 6);
  else
    sink.bits(value & 3, 2);
}

// The probability tables of a transform slice depend on its quantiser.
inline constexpr int kTransformRanges = 3;
inline int transform_range(int quantiser) { return quantiser < 16 ? 0 : quantiser < 25 ? 1 : 2; }

// The place of transform block `i` in its macroblock, in texels of the component.
inline int transform_block_x(int i) { return i % 2 * kTransformSide; }
inline int transform_block_y(int i) { return i / 2 * kTransformSide; }

// The transform blocks of a macroblock in one component that lie in the slice, at least partly.
struct TransformBlocks {
  int x = 0, y = 0;                       // of the first one, in blocks of 4x4 texels of the plane
  int columns = 0, rows = 0;              // transform blocks: 0 to 2 each
  int block_columns = 0, block_rows = 0;  // blocks of 4x4 texels
  bool has(int i) const { return i % 2 < columns && i / 2 < rows; }
  uint8_t mask() const {
    uint8_t bits = 0;
    for (int i = 0; i < kMostTransformBlocks; ++i) bits = static_cast<uint8_t>(bits | (has(i) ? 1u << i : 0u));
    return bits;
  }
};
// `rect`: the blocks of the tile or sub-slice in the component.
inline TransformBlocks transform_blocks(const Component& component, const BlockRect& rect, int column, int row) {
  constexpr int kSide = kMacroblockSide / 4;
  TransformBlocks blocks{.x = rect.x0 + column * kSide / component.across, .y = rect.y0 + row * kSide / component.down};
  blocks.block_columns = std::clamp(rect.x1 - blocks.x, 0, kSide / component.across);
  blocks.block_rows = std::clamp(rect.y1 - blocks.y, 0, kSide / component.down);
  blocks.columns = (blocks.block_columns + 1) / 2;
  blocks.rows = (blocks.block_rows + 1) / 2;
  return blocks;
}

}  // namespace texcast::compact
