#include "astc_partition.h"

#include <array>
#include <cstdint>

namespace texcast::ref {
namespace {

uint32_t hash52(uint32_t p) {
  p ^= p >> 15;
  p *= 0xEEDE0891;  // (2^4 + 1)(2^7 + 1)(2^17 - 1)
  p ^= p >> 5;
  p += p << 16;
  p ^= p >> 7;
  p ^= p >> 3;
  p ^= p << 6;
  p ^= p >> 17;
  return p;
}

}  // namespace

int astc_partition(int seed, int x, int y, int partitions, AstcSize size) {
  if (size.width * size.height < 31) {
    x *= 2;
    y *= 2;
  }
  seed += (partitions - 1) * 1024;
  const uint32_t random = hash52(static_cast<uint32_t>(seed));
  // Squares of eight nibbles, shifted in one of two ways: the increments of four sums for a step across and down.
  const int of_two = (seed & 2) != 0 ? 4 : 5, of_three = partitions == 3 ? 6 : 5;
  const int across = (seed & 1) != 0 ? of_two : of_three, down = (seed & 1) != 0 ? of_three : of_two;
  std::array<int, 4> sums{};
  for (size_t i = 0; i < 4; ++i) {
    const auto step = [&](size_t nibble, int shift) {
      const auto value = static_cast<int>(random >> (4 * nibble) & 15);
      return value * value >> shift;
    };
    const auto offset = static_cast<int>(random >> (14 - 4 * i));
    const bool takes_part = static_cast<int>(i) < partitions;
    sums[i] = takes_part ? (step(2 * i, across) * x + step(2 * i + 1, down) * y + offset) & 63 : 0;
  }
  int best = 0;
  for (int i = 1; i < 4; ++i)
    if (sums[static_cast<size_t>(i)] > sums[static_cast<size_t>(best)]) best = i;
  return best;
}

uint64_t astc_second_part(int seed, int side) {
  uint64_t second = 0;
  for (int i = 0; i < side * side; ++i)
    second |= static_cast<uint64_t>(astc_partition(seed, i % side, i / side, 2, {side, side})) << i;
  return second;
}

}  // namespace texcast::ref
