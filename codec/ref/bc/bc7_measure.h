// bc7_measure.h — one set of indices and its texels, and the error of end points for it.
#pragma once

#include <limits>

#include "bc7_block.h"

namespace texcast::ref::bc7 {

// The best end points so far, subset by subset, and their squared error.
struct Fitted {
  std::array<Ends, 3> ends{};
  std::array<int, 3> errors{std::numeric_limits<int>::max(), std::numeric_limits<int>::max(),
                            std::numeric_limits<int>::max()};
  int total(int subsets) const {
    int sum = 0;
    for (size_t s = 0; s < static_cast<size_t>(subsets); ++s) sum += errors[s];
    return sum;
  }
};

// The index of the nearest place along the line between the end points.
int index_of(const Channels& texel, const Ends& ends, int index_bits);

// One set of indices: the texels that are fitted, and how it is stored.
struct Plane {
  const Texels16& texels;
  Subsets subsets;
  int subset_count;
  Precision precision;

  size_t count() const { return static_cast<size_t>(subset_count); }

  int error(size_t subset, const Ends& ends) const;
  bool keep_better(size_t subset, const Ends& ends, Fitted& best) const;
  std::array<int, 16> indices(const std::array<Ends, 3>& ends) const;
};

}  // namespace texcast::ref::bc7
