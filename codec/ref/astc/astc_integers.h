// astc_integers.h — bounded integer sequence encoding: packed integers of one range (section 23.12).
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace texcast::ref {

// How many bits of a group's packed digits follow the low bits of each of its integers.
inline constexpr std::array kAstcTritBits = {2, 2, 1, 2, 1};
inline constexpr std::array kAstcQuintBits = {3, 2, 2};

// Reads the sequence that begins at bit `first` of the block, in ascending order.
void read_astc_integers(std::span<const uint8_t, 16> block, int first, int range, std::span<int> values);

// The digits of a packed group: five trits in eight bits, three quints in seven.
std::array<int, 5> astc_trits(int packed);
std::array<int, 3> astc_quints(int packed);

}  // namespace texcast::ref
