// symbol_writer.h — writes literal bits and vectors as symbols, for both slice encoders.
#pragma once

#include <cstdlib>

#include "compact/slice_syntax.h"

namespace texcast::compact {

// Literal bits, in groups of four, the lowest first. `Sink` has put(context, symbol).
template <typename Sink>
void put_bits(Sink& sink, uint32_t value, int count) {
  for (int done = 0; done < count; done += 4) sink.put(literal_context(count - done), value >> done & 15);
}

// `Sink` has put(context, symbol) and bits(value, count).
template <typename Sink>
void put_distance(Sink& sink, bool is_match, bool is_y, int& bits_of_x, int distance) {
  const auto magnitude = static_cast<uint32_t>(std::abs(distance));
  const int length = bit_length(magnitude);
  sink.put(distance_context(is_match, is_y, bits_of_x), length);
  if (!is_y) bits_of_x = length;
  if (length == 0) return;
  sink.bits((magnitude & ((1u << (length - 1)) - 1)) << 1 | (distance < 0 ? 1 : 0), length);
}
template <typename Sink>
void put_vector(Sink& sink, bool is_match, const MotionVector& vector) {
  int bits_of_x = 0;
  put_distance(sink, is_match, false, bits_of_x, vector.x);
  put_distance(sink, is_match, true, bits_of_x, vector.y);
}
// Whether the syntax can represent the vector.
inline bool is_codable(const MotionVector& v) {
  return bit_length(static_cast<uint32_t>(std::abs(v.x))) <= kMostDistanceBits &&
         bit_length(static_cast<uint32_t>(std::abs(v.y))) <= kMostDistanceBits;
}

// The symbol of a folded residual (contexts.h).
struct ResidualSymbols {
  std::array<uint8_t, 512> of{};
  constexpr ResidualSymbols() {
    for (uint32_t folded = 0; folded < of.size(); ++folded) {
      int escape = 3;
      while (escape > 0 && folded < kEscapeFirst[escape]) --escape;
      of[folded] = static_cast<uint8_t>(folded < kDirect ? folded : kDirect + escape);
    }
  }
};
inline constexpr ResidualSymbols kResidualSymbols;
// The cost of the literal bits after each symbol, in 1/32 bits.
inline constexpr int kEscapeCost[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2 * 32, 4 * 32, 6 * 32, 9 * 32};

}  // namespace texcast::compact
