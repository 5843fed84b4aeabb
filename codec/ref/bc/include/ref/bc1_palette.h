// bc1_palette.h — packs 5-6-5 end points into a block; shared by range fit and LSpiro.
#pragma once

#include <array>

#include "ref/bc1.h"

namespace texcast::ref {

// Red and blue 0..31, green 0..63.
using Color565 = std::array<int, 3>;

// As stored in a block. The order of the two end points' numbers selects the palette.
inline int packed(const Color565& c) { return c[0] << 11 | c[1] << 5 | c[2]; }

// The 5- or 6-bit value nearest to an 8-bit one.
int to_5_bits(int value);
int to_6_bits(int value);

// Expanded to 8 bits per channel by repeating the top bits.
std::array<int, 3> expanded(const Color565& c);

// For each channel +1 or -1: whether it rises or falls together with the channel of the widest range (ties: green
// before red before blue; no slope counts as rising).
std::array<int, 3> channel_directions(const RgbBlock& texels);

// Bounding box reduced by 1/16 on each side, along the channels' directions, rounded to 5-6-5: (high, low) by the
// widest channel.
std::array<Color565, 2> range_ends(const RgbBlock& texels);

// Chooses each texel's index by its projection on the line between the end points, and packs the block in four-colour
// order (c0 > c1); equal end points give a flat block with all indices 0.
Bc1Block pack_bc1(const RgbBlock& texels, Color565 end0, Color565 end1);

}  // namespace texcast::ref
