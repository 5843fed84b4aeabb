// bc7_block.h — types of the BC7 encoder: texels, end points, and how a mode stores them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "bc7_modes.h"

// Files of this module are compiled together, and other formats have end points and fits too, hence the namespace.
namespace texcast::ref::bc7 {

using Channels = std::array<int, 4>;
using Vector = std::array<float, 4>;
using Subsets = std::array<int, 16>;  // the subset of each texel

constexpr std::array<size_t, 4> kChannels = {0, 1, 2, 3};
constexpr size_t kAlpha = 3;

// 16 texels that share a set of indices: the whole block, or the part that is coded separately. Channels that are not
// coded are the same in all texels.
using Texels16 = std::array<Channels, 16>;

// How end points and indices are stored.
struct Precision {
  Channels bits;  // of an end point's channel with its p-bit; 0: not coded
  PBits p_bits;
  bool p_is_1;  // in opaque blocks: 127 and a p-bit of 1 are 255
  int index_bits;
};

struct Ends {
  Channels low{}, high{};  // in 8 bits
};

// How a block is coded: a mode with its fields, and the end points by subset.
struct Choice {
  int mode = 0, partition = 0, rotation = 0, selector = 0;
  std::array<Ends, 3> ends{};
  Ends apart{};  // modes 4 and 5: of the channel with its own indices, which comes first
};

constexpr float kTiny = 1e-20f;

// Rounds to nearest, ties to even. 0 <= value < 2^22.
inline int nearest(float value) { return static_cast<int>(std::bit_cast<uint32_t>(value + 8388608.0f) & 0x3FFFFF); }

inline float dot(const Vector& a, const Vector& b) { return ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3]; }

inline Subsets subsets_of(int subsets, int partition) {
  Subsets of{};
  for (size_t i = 0; i < 16; ++i) of[i] = bc7_subset(subsets, partition, i);
  return of;
}

}  // namespace texcast::ref::bc7
