// macroblock_symbols.h — reads and writes the symbols of a macroblock of a transform slice: its mode and vector, which
// transform blocks have coefficients, and these.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "compact/symbol_writer.h"
#include "compact/transform_syntax.h"

namespace texcast::compact {

// The macroblocks of a tile or sub-slice so far, from which contexts and predictors come.
struct MacroblockNeighbours {
  bool intra_slice = false;
  int columns = 0;
  std::array<MotionVector, kMostMacroblocks> vectors{};
  std::array<uint8_t, kMostMacroblocks> classes{};   // mode_class()
  std::array<uint8_t, kMostMacroblocks> has_luma{};  // 1: it has luma coefficients

  MotionVector predictor(int column, int row) const { return predicted_vector(vectors, column, row, columns); }
  int mode(int column, int row) const {
    return mode_context(intra_slice, column > 0 ? classes[index(column - 1, row)] : 0,
                        row > 0 ? classes[index(column, row - 1)] : 0);
  }
  int coded_luma(bool intra, int column, int row) const {
    return coded_luma_context(
        intra, (column > 0 ? has_luma[index(column - 1, row)] : 0) + (row > 0 ? has_luma[index(column, row - 1)] : 0));
  }
  void add(const Macroblock& macroblock, int column, int row) {
    vectors[index(column, row)] = macroblock.vector;
    classes[index(column, row)] = static_cast<uint8_t>(mode_class(macroblock.mode));
    has_luma[index(column, row)] = macroblock.coded[0] != 0 ? 1 : 0;
  }
  static size_t index(int column, int row) { return static_cast<size_t>(row * kMacroblockColumns + column); }
};

inline int coded_context(const MacroblockNeighbours& neighbours, const Macroblock& macroblock, int component,
                         int column, int row) {
  const bool intra = is_intra(macroblock.mode);
  if (component == 0) return neighbours.coded_luma(intra, column, row);
  return coded_chroma_context(intra, macroblock.coded[0] != 0, component == 1 ? 0 : macroblock.coded[1] != 0 ? 2 : 1);
}

// For CodedMagnitudes, by the place in the scan.
struct MagnitudePlaces {
  static constexpr int kStride = kTransformSide + 2;
  std::array<uint8_t, kCoefficients> at{}, first_context{};
  std::array<uint8_t, 5 * 15 + 1> classes{};  // of sums
  constexpr MagnitudePlaces() {
    for (size_t scan = 0; scan < kCoefficients; ++scan) {
      const int position = kZigzag.at[scan], row = position / kTransformSide, column = position % kTransformSide;
      at[scan] = static_cast<uint8_t>(row * kStride + column);
      first_context[scan] = static_cast<uint8_t>(first_magnitude_context(position));
    }
    for (int sum = 0; sum < static_cast<int>(classes.size()); ++sum)
      classes[static_cast<size_t>(sum)] = static_cast<uint8_t>(neighbours_class(sum));
  }
};
inline constexpr MagnitudePlaces kMagnitudePlaces;
static_assert(transform_context::kMagnitude.end() <= 256);

// The magnitudes of coefficients that are coded so far, up to 15, and the contexts that follow from them. Two rows and
// columns behind the last ones are 0.
class CodedMagnitudes {
 public:
  int context(int scan) const {
    const uint8_t* const at = &at_[kMagnitudePlaces.at[static_cast<size_t>(scan)]];
    const int sum = at[1] + at[2] + at[kStride] + at[2 * kStride] + at[kStride + 1];
    return kMagnitudePlaces.first_context[static_cast<size_t>(scan)] +
           kMagnitudePlaces.classes[static_cast<size_t>(sum)];
  }
  void set(int scan, int magnitude) {
    at_[kMagnitudePlaces.at[static_cast<size_t>(scan)]] = static_cast<uint8_t>(std::min(magnitude, 15));
  }
  void clear() { at_.fill(0); }

 private:
  static constexpr int kStride = MagnitudePlaces::kStride;
  std::array<uint8_t, size_t{kStride} * kStride> at_{};
};

// `Reader` has get(context), bits(count) and vector(is_match). The tables must be those of the component. False:
// invalid symbols.
template <typename Reader>
bool read_levels(Reader& reader, bool intra, TransformLevels& levels) {
  levels.fill(0);
  const auto last_class = static_cast<size_t>(reader.get(last_context(intra)));
  int last = kLastFirst[last_class];
  if (kLastBits[last_class] > 0) last += static_cast<int>(reader.bits(kLastBits[last_class]));
  int count = 0;
  std::array<uint8_t, kCoefficients> places;
  CodedMagnitudes read;
  for (int i = last; i >= 0; --i) {
    const int position = kZigzag.at[static_cast<size_t>(i)];
    int magnitude = reader.get(i == last ? last_magnitude_context(position) : read.context(i));
    if (magnitude == kMagnitudeEscape) {
      const int bits = reader.get(transform_context::kEscape.first);
      if (bits > kMostMagnitudeBits) return false;
      magnitude += (1 << bits) - 1;
      if (bits > 0) magnitude += static_cast<int>(reader.bits(bits));
    }
    if (i == last) ++magnitude;  // it is not zero
    if (magnitude == 0) continue;
    read.set(i, magnitude);
    levels[static_cast<size_t>(position)] = static_cast<int16_t>(std::min(magnitude, 32767));
    places[static_cast<size_t>(count++)] = static_cast<uint8_t>(position);
  }
  for (int done = 0; done < count; done += 4) {
    const uint32_t signs = reader.bits(std::min(count - done, 4));
    for (int i = done; i < std::min(done + 4, count); ++i)
      if ((signs >> (i - done) & 1) != 0) {
        int16_t& level = levels[places[static_cast<size_t>(i)]];
        level = static_cast<int16_t>(-level);
      }
  }
  return true;
}

// `Sink` has put(context, symbol) and bits(value, count). At least one level is not zero.
template <typename Sink>
void put_levels(Sink& sink, bool intra, const TransformLevels& levels) {
  int last = kCoefficients - 1;
  while (levels[kZigzag.at[static_cast<size_t>(last)]] == 0) --last;
  const size_t last_class = last_class_of(last);
  sink.put(last_context(intra), static_cast<int>(last_class));
  if (kLastBits[last_class] > 0) sink.bits(static_cast<uint32_t>(last - kLastFirst[last_class]), kLastBits[last_class]);
  CodedMagnitudes coded;
  uint32_t signs = 0;
  int count = 0;
  std::array<uint8_t, kCoefficients> sign_of;
  for (int i = last; i >= 0; --i) {
    const int position = kZigzag.at[static_cast<size_t>(i)];
    const int level = levels[static_cast<size_t>(position)], size = std::abs(level);
    const int magnitude = i == last ? size - 1 : size;
    sink.put(i == last ? last_magnitude_context(position) : coded.context(i), std::min(magnitude, kMagnitudeEscape));
    if (magnitude >= kMagnitudeEscape) {
      const int bits = bit_length(static_cast<uint32_t>(magnitude - kMagnitudeEscape + 1)) - 1;
      sink.put(transform_context::kEscape.first, bits);
      if (bits > 0) sink.bits(static_cast<uint32_t>(magnitude - kMagnitudeEscape + 1 - (1 << bits)), bits);
    }
    coded.set(i, size);
    if (size != 0) sign_of[static_cast<size_t>(count++)] = static_cast<uint8_t>(level < 0);
  }
  for (int done = 0; done < count; done += 4) {
    signs = 0;
    for (int i = done; i < std::min(done + 4, count); ++i)
      signs |= static_cast<uint32_t>(sign_of[static_cast<size_t>(i)]) << (i - done);
    sink.bits(signs, std::min(count - done, 4));
  }
}

// Everything of a macroblock but its coefficients. `masks`: TransformBlocks::mask() of each component. The tables are
// those of component 0; `use(component)` is called before the symbols of each component. False: invalid symbols.
template <typename Reader, typename Use>
bool read_macroblock(Reader& reader, const Use& use, const MacroblockNeighbours& neighbours, int column, int row,
                     const std::array<uint8_t, kTransformComponents>& masks, Macroblock& macroblock) {
  use(0);
  const int mode = reader.get(neighbours.mode(column, row));
  if (mode >= kMacroblockModes) return false;
  macroblock = {.mode = static_cast<MacroblockMode>(mode), .vector = neighbours.predictor(column, row)};
  if (neighbours.intra_slice && !is_intra(macroblock.mode)) return false;
  if (macroblock.mode == MacroblockMode::skip) return true;
  if (macroblock.mode == MacroblockMode::inter_coded) {
    const MotionVector difference = reader.vector(false);
    macroblock.vector.x += difference.x;
    macroblock.vector.y += difference.y;
  }
  for (int c = 0; c < kTransformComponents; ++c) {
    if (masks[static_cast<size_t>(c)] == 0) continue;
    use(c);
    const int coded = reader.get(coded_context(neighbours, macroblock, c, column, row));
    if ((coded & ~masks[static_cast<size_t>(c)]) != 0) return false;
    macroblock.coded[static_cast<size_t>(c)] = static_cast<uint8_t>(coded);
  }
  return true;
}
// The same for the encoder. `macroblock.vector` is the predictor unless the mode is inter_coded.
template <typename Sink, typename Use>
void put_macroblock(Sink& sink, const Use& use, const MacroblockNeighbours& neighbours, int column, int row,
                    const std::array<uint8_t, kTransformComponents>& masks, const Macroblock& macroblock) {
  use(0);
  sink.put(neighbours.mode(column, row), static_cast<int>(macroblock.mode));
  if (macroblock.mode == MacroblockMode::skip) return;
  if (macroblock.mode == MacroblockMode::inter_coded) {
    const MotionVector predictor = neighbours.predictor(column, row);
    put_vector(sink, false, {macroblock.vector.x - predictor.x, macroblock.vector.y - predictor.y});
  }
  for (int c = 0; c < kTransformComponents; ++c) {
    if (masks[static_cast<size_t>(c)] == 0) continue;
    use(c);
    sink.put(coded_context(neighbours, macroblock, c, column, row), macroblock.coded[static_cast<size_t>(c)]);
  }
}

}  // namespace texcast::compact
