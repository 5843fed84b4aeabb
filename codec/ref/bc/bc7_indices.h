// bc7_indices.h — indices of texels in one subset or two, and end points that are fitted to them.
#pragma once

#include <limits>

#include "bc7_bits.h"
#include "bc7_least_squares.h"

namespace texcast::ref::bc7 {

// One set of indices: its texels, their subsets, and how it is stored.
struct Set {
  const Texels16* texels;
  int subset_count;
  Subsets of;
  Fields fields;

  size_t count() const { return static_cast<size_t>(subset_count); }
};

struct Refined {
  std::array<Ends, 3> ends{};
  Indices indices{};
  std::array<IndexSums, 2> sums{};
  float error = std::numeric_limits<float>::max();
};

// The first indices follow from the texels' places between the outermost ones along the principal axis.
Refined fit(const Set& set);

// Fits once more, from the present indices.
void fit_again(const Set& set, Refined& best);

}  // namespace texcast::ref::bc7
