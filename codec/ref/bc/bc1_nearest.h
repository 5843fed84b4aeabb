// bc1_nearest.h — blocks whose texels take the nearest colour of the palette, in either order of the end points.
#pragma once

#include "ref/bc1_fit.h"

namespace texcast::ref {

enum class Bc1Order {
  four,         // c0 > c1: end points and two thirds
  three,        // c0 <= c1: end points and their middle; index 3 (black, transparent in some APIs) is never used
  three_black,  // the same with index 3, for blocks that are read as RGB
};

// Index 0 to 3; in Bc1Order::three the last repeats the middle.
using Bc1Palette = std::array<std::array<int, 3>, 4>;

// Of end points in the order in which they stand: a is c0.
Bc1Palette palette_of(const Ends565& ends, Bc1Order order);

// The block's squared error as it will be decoded (end points expanded by bit replication).
int nearest_error(const RgbBlock& texels, const Ends565& ends, Bc1Order order);

// Swaps the end points where the order asks for it.
void put_in_order(Ends565& ends, Bc1Order order);

// With the end points put in order. Of equally near colours the one with the smallest index.
Bc1Block pack_nearest(const RgbBlock& texels, Ends565 ends, Bc1Order order);

}  // namespace texcast::ref
