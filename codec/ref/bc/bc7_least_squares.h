// bc7_least_squares.h — end points by least squares, rounded to what a mode can store.
#pragma once

#include "bc7_moments.h"

namespace texcast::ref::bc7 {

// How a mode stores a set of indices and their end points, with the same number of bits in each coded channel.
struct Fields {
  int bits;  // of an end point's channel with its p-bit
  PBits p_bits;
  bool p_is_1;
  int index_bits;
  std::array<bool, 4> coded;

  int last() const { return (1 << index_bits) - 1; }
};

// A subset's indices in the form that least squares needs.
struct IndexSums {
  int k = 0, kk = 0;
  Channels kx{};

  void add(int index, const Channels& texel) {
    k += index;
    kk += index * index;
    for (const size_t c : kChannels) kx[c] += index * texel[c];
  }
};

// Least squares for evenly spaced indices. The second end point compensates the rounding of the first.
Ends fit_ends(const Moments& m, IndexSums s, const Fields& fields);

}  // namespace texcast::ref::bc7
