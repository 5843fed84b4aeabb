// symbol_reader.h — reads literal bits and vectors as symbol_writer.h writes them.
#pragma once

#include "compact/motion_vector.h"
#include "compact/slice_syntax.h"

namespace texcast::compact {

// `Reader` has get(context).
template <typename Reader>
uint32_t read_bits(Reader& reader, int count) {
  uint32_t value = 0;
  for (int done = 0; done < count; done += 4)
    value |= static_cast<uint32_t>(reader.get(literal_context(count - done))) << done;
  return value & ((1u << count) - 1);
}
template <typename Reader>
int read_distance(Reader& reader, bool is_match, bool is_y, int& bits_of_x) {
  const int length = reader.get(distance_context(is_match, is_y, bits_of_x));
  if (!is_y) bits_of_x = length;
  if (length == 0) return 0;
  const uint32_t rest = read_bits(reader, length);
  const int size = static_cast<int>(1u << (length - 1) | rest >> 1);
  return rest & 1 ? -size : size;
}
template <typename Reader>
MotionVector read_vector(Reader& reader, bool is_match) {
  int bits_of_x = 0;
  const int x = read_distance(reader, is_match, false, bits_of_x);
  return {x, read_distance(reader, is_match, true, bits_of_x)};
}

}  // namespace texcast::compact
