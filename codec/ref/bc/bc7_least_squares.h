// bc7_least_squares.h — end points by least squares, as a mode stores them.
#pragma once

#include "bc7_moments.h"

namespace texcast::ref::bc7 {

// How a mode stores a set of indices and their end points, of as many bits in each channel that is coded.
struct Fields {
  int bits;  // of an end point's channel with its p-bit
  PBits p_bits;
  bool p_is_1;
  int index_bits;
  std::array<bool, 4> coded;

  int last() const { return (1 << index_bits) - 1; }
};

// A subset's indices, as least squares need them.
struct IndexSums {
  int k = 0, kk = 0;
  Channels kx{};

  void add(int index, const Channels& texel) {
    k += index;
    kk += index * index;
    for (const size_t c : kChannels) kx[c] += index * texel[c];
  }
};

// Least squares for indices that are evenly spread. The second end point makes up for what rounding took from the
// first.
Ends fit_ends(const Moments& m, IndexSums s, const Fields& fields);

}  // namespace texcast::ref::bc7
