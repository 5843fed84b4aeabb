// etc2_pack.h — the modes of ETC2 as bits. What makes a block T, H or planar is a sum in differential mode that leaves
// 0..31; the bits that no field has are set so that it does, and that the sums looked at before do not.
#pragma once

#include <array>

#include "etc_colors.h"
#include "ref/etc2.h"

namespace texcast::ref::etc {

using Indices = std::array<size_t, 16>;  // of the paints, by texel

// Two colours of 4 or 5 bits a channel; those of 5 differ by -4 to 3.
struct HalvesCode {
  int bits = 4;
  bool is_flipped = false;  // halves above each other, else side by side
  std::array<Rgb, 2> color{};
  std::array<size_t, 2> table{};
};
Etc2Block pack_halves(const HalvesCode& code, const Indices& indices);

// Two colours of 4 bits a channel, and a distance's number.
struct PairCode {
  Rgb first{}, second{};
  size_t distance = 0;
};
Etc2Block pack_t(const PairCode& code, const Indices& indices);
// Paints are the first colour and then the second, more and less the distance. The order of the colours is a bit of the
// distance's number: they are swapped, and the indices with them, where it needs that. Equal ones have odd numbers
// alone.
Etc2Block pack_h(const PairCode& code, const Indices& indices);

// Colours at the top left, right of the top right, below the bottom left; 6, 7 and 6 bits.
struct PlanarCode {
  Rgb origin{}, across{}, down{};
};
Etc2Block pack_planar(const PlanarCode& code);

}  // namespace texcast::ref::etc
