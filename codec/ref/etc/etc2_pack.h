// etc2_pack.h — packs the modes of ETC2. A sum in differential mode that leaves 0..31 marks a block as T, H or planar.
// Bits without a field are set so that it does, and that the sums which decoders check before do not.
#pragma once

#include <array>

#include "etc_colors.h"
#include "ref/etc2.h"

namespace texcast::ref::etc {

using Indices = std::array<size_t, 16>;  // of the palette's colours, by texel

// Two colours of 4 or 5 bits per channel; those of 5 differ by -4 to 3.
struct HalvesCode {
  int bits = 4;
  bool is_flipped = false;  // one half above the other, else side by side
  std::array<Rgb, 2> color{};
  std::array<size_t, 2> table{};
};
Etc2Block pack_halves(const HalvesCode& code, const Indices& indices);

// Two colours of 4 bits per channel, and the index of a distance.
struct PairCode {
  Rgb first{}, second{};
  size_t distance = 0;
};
Etc2Block pack_t(const PairCode& code, const Indices& indices);
// The palette is the first colour plus and minus the distance, and then the second. The order of the colours is a bit
// of the distance's index: they are swapped, and the texels' indices with them, if the index requires it. Equal colours
// can only have odd indices.
Etc2Block pack_h(const PairCode& code, const Indices& indices);

// Colours at the top left, right of the top right, below the bottom left; 6, 7 and 6 bits.
struct PlanarCode {
  Rgb origin{}, across{}, down{};
};
Etc2Block pack_planar(const PlanarCode& code);

}  // namespace texcast::ref::etc
