// bc1_nearest.h — blocks whose texels take the nearest colour of the palette, for either order of the end points.
#pragma once

#include "ref/bc1_fit.h"

namespace texcast::ref {

enum class Bc1Order {
  four,         // c0 > c1: end points and two thirds
  three,        // c0 <= c1: end points and their midpoint; index 3 (black, transparent in some APIs) is not used
  three_black,  // the same with index 3, for blocks that are read as RGB
};

// Indices 0 to 3; in Bc1Order::three the last repeats the midpoint.
using Bc1Palette = std::array<std::array<int, 3>, 4>;

// For end points in stored order: a is c0.
Bc1Palette palette_of(const Ends565& ends, Bc1Order order);

// The block's squared error as it will be decoded (end points expanded by bit replication).
int nearest_error(const RgbBlock& texels, const Ends565& ends, Bc1Order order);

// Swaps the end points if the order requires it.
void put_in_order(Ends565& ends, Bc1Order order);

// Packs the block, with the end points put in order. Among equally near colours the smallest index wins.
Bc1Block pack_nearest(const RgbBlock& texels, Ends565 ends, Bc1Order order);

}  // namespace texcast::ref
