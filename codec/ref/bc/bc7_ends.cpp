#include "bc7_ends.h"

#include <algorithm>

namespace texcast::ref::bc7 {
namespace {

// The code nearest to a value in 0..255 whose lowest bit is p; p < 0: any. `off`: the squared difference in codes.
int to_code(float value, int bits, int p, float& off) {
  const int last = (1 << bits) - 1;
  const float at = value * (static_cast<float>(last) * (1.0f / 255.0f));
  int code = 0;
  if (p < 0)
    code = std::min(nearest(at), last);
  else
    code = 2 * std::min(nearest(std::max((at - static_cast<float>(p)) * 0.5f, 0.0f)), last / 2) + p;
  const float difference = at - static_cast<float>(code);
  off = difference * difference;
  return code;
}

// Rounds the channels of an end point with that p-bit. `constant`: those that are not coded.
float round_end(const Vector& wish, const Precision& precision, int p, const Channels& constant, Channels& end) {
  float sum = 0;
  for (const size_t c : kChannels) {
    const int bits = precision.bits[c];
    end[c] = constant[c];
    if (bits == 0) continue;
    float off = 0;
    end[c] = bc7_expand(to_code(wish[c], bits, p, off), bits);
    sum += off;
  }
  return sum;
}

}  // namespace

Ends round_ends(const Vector& low, const Vector& high, const Precision& precision, const Channels& constant) {
  Ends ends;
  if (precision.p_bits == PBits::none || precision.p_is_1) {
    const int p = precision.p_is_1 ? 1 : -1;
    round_end(low, precision, p, constant, ends.low);
    round_end(high, precision, p, constant, ends.high);
    return ends;
  }
  Ends odd;
  const float low_even = round_end(low, precision, 0, constant, ends.low);
  const float low_odd = round_end(low, precision, 1, constant, odd.low);
  const float high_even = round_end(high, precision, 0, constant, ends.high);
  const float high_odd = round_end(high, precision, 1, constant, odd.high);
  if (precision.p_bits == PBits::per_subset) return low_odd + high_odd < low_even + high_even ? odd : ends;
  if (low_odd < low_even) ends.low = odd.low;
  if (high_odd < high_even) ends.high = odd.high;
  return ends;
}

}  // namespace texcast::ref::bc7
