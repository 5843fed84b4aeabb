#include "bc7_walk.h"

namespace texcast::ref::bc7 {
namespace {

// Moves a channel of an end point by `step` codes, with the same p-bit if it has one; false past the last code.
bool step_channel(int& value, int bits, bool has_p, int step) {
  const int code = (value >> (8 - bits)) + (has_p ? 2 * step : step);
  if (code < 0 || code >= 1 << bits) return false;
  value = bc7_expand(code, bits);
  return true;
}

void toggle_p(Channels& end, const Precision& precision) {
  for (const size_t c : kChannels)
    if (const int bits = precision.bits[c]; bits > 0) end[c] = bc7_expand((end[c] >> (8 - bits)) ^ 1, bits);
}

}  // namespace

void walk(const Plane& plane, int rounds, Fitted& best) {
  const Precision& precision = plane.precision;
  const bool has_p = precision.p_bits != PBits::none;
  for (int round = 0; round < rounds; ++round)
    for (size_t s = 0; s < plane.count(); ++s) {
      for (const auto end : {&Ends::low, &Ends::high})
        for (const size_t c : kChannels)
          for (const int step : {-1, 1}) {
            Ends ends = best.ends[s];
            if (precision.bits[c] > 0 && step_channel((ends.*end)[c], precision.bits[c], has_p, step))
              plane.keep_better(s, ends, best);
          }
      if (!has_p || precision.p_is_1) continue;
      const bool both = precision.p_bits == PBits::per_subset;
      for (const auto end : {&Ends::low, &Ends::high}) {
        Ends ends = best.ends[s];
        toggle_p(ends.*end, precision);
        if (both) toggle_p(ends.*(end == &Ends::low ? &Ends::high : &Ends::low), precision);
        plane.keep_better(s, ends, best);
        if (both) break;
      }
    }
}

}  // namespace texcast::ref::bc7
