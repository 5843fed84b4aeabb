// bc4_fit.h — BC4 end points by least squares from several starts, for values finer than 8 bits.
//
// Values are in twelfths: 0..3060. All sums are integers; divisions are in single precision with a defined order of
// operations (reciprocal.h), so that every device rounds alike.
#pragma once

#include "ref/bc4.h"
#include "ref/blocks.h"

namespace texcast::ref {

struct Bc4Effort {
  int starts = 1;           // 1..24 of the table
  bool six_values = false;  // try the six-value order if texels are near 0 or 255
  int window = 0;           // then try all end points up to so many steps around the best
};

// `top`: the largest code, which is white; values are at most 12 times that.
Bc4Block encode_bc4_fitted(const ChannelBlock& twelfths, const Bc4Effort& effort, int top = 255);

}  // namespace texcast::ref
