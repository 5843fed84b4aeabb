// symbol_writer.h — numbers as symbols, as both unit encoders put them down.
#pragma once

#include <cstdlib>

#include "compact/slice_syntax.h"

namespace texcast::compact {

// Bits that nothing is known of, by a sink's put(context, symbol).
template <typename Sink>
void put_bits(Sink& sink, uint32_t value, int count) {
  for (int done = 0; done < count; done += 4) sink.put(flat_context(count - done), value >> done & 15);
}

// `Sink` has put(context, symbol) and bits(value, count).
template <typename Sink>
void put_distance(Sink& sink, bool of_block, bool is_y, int& bits_of_x, int distance) {
  const auto size = static_cast<uint32_t>(std::abs(distance));
  const int length = bit_length(size);
  sink.put(distance_context(of_block, is_y, bits_of_x), length);
  if (!is_y) bits_of_x = length;
  if (length == 0) return;
  sink.bits((size & ((1u << (length - 1)) - 1)) << 1 | (distance < 0 ? 1 : 0), length);
}
template <typename Sink>
void put_vector(Sink& sink, bool of_block, const MotionVector& vector) {
  int bits_of_x = 0;
  put_distance(sink, of_block, false, bits_of_x, vector.x);
  put_distance(sink, of_block, true, bits_of_x, vector.y);
}
inline bool reaches(const MotionVector& v) {
  return bit_length(static_cast<uint32_t>(std::abs(v.x))) <= kMostDistanceBits &&
         bit_length(static_cast<uint32_t>(std::abs(v.y))) <= kMostDistanceBits;
}

// Of a folded difference its symbol, and the bits behind it.
struct DifferenceSymbols {
  std::array<uint8_t, 512> of{};
  constexpr DifferenceSymbols() {
    for (uint32_t folded = 0; folded < of.size(); ++folded) {
      int escape = 3;
      while (escape > 0 && folded < kEscapeFirst[escape]) --escape;
      of[folded] = static_cast<uint8_t>(folded < kDirect ? folded : kDirect + escape);
    }
  }
};
inline constexpr DifferenceSymbols kDifferenceSymbols;
inline constexpr int kEscapeCost[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2 * 32, 4 * 32, 6 * 32, 9 * 32};

}  // namespace texcast::compact
