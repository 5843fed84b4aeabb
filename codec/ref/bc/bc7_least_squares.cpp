#include "bc7_least_squares.h"

#include <algorithm>

#include "ref/reciprocal.h"

namespace texcast::ref::bc7 {

namespace {

// An end point's channels as codes, their errors in steps between codes with the same p-bit, and the sum of the squared
// errors.
struct RoundedEnd {
  Channels codes{};
  Vector off{};
  float squares = 0;
};

RoundedEnd round_end(const Vector& wish, const Fields& fields, int p) {
  const bool has_p = fields.p_bits != PBits::none;
  // A code past the last one must not be the nearest of those with the other p-bit.
  const float most = (static_cast<float>((1 << fields.bits) - 1) - 0.25f) * (has_p ? 0.5f : 1.0f);
  constexpr float kRound = 12582912.0f;
  RoundedEnd end;
  for (const size_t c : kChannels) {
    if (!fields.coded[c]) continue;
    const float at = std::min(std::max(wish[c], 0.0f), most) - (p != 0 ? 0.5f : 0.0f);
    const float step = (at + kRound) - kRound;
    end.codes[c] = has_p ? 2 * static_cast<int>(step) + p : static_cast<int>(step);
    end.off[c] = step - at;
  }
  end.squares = dot(end.off, end.off);
  return end;
}

Channels shown(const RoundedEnd& end, const Fields& fields) {
  Channels channels{};
  for (const size_t c : kChannels)
    if (fields.coded[c]) channels[c] = bc7_expand(end.codes[c], fields.bits);
  return channels;
}

}  // namespace

Ends fit_ends(const Moments& m, IndexSums s, const Fields& fields) {
  int determinant = m.count * s.kk - s.k * s.k;
  if (determinant == 0) {  // all the same: both at the mean
    s = {.k = 0, .kk = 1, .kx = {}};
    determinant = m.count;
  }
  const float inverse = reciprocal(static_cast<float>(determinant)), inverse_kk = reciprocal(static_cast<float>(s.kk));
  const auto last = static_cast<float>(fields.last());
  const float steps = static_cast<float>((1 << fields.bits) - 1) *
                      (fields.p_bits == PBits::none ? 0.0039215689f : 0.0019607844f);  // 1 / 255
  Vector low{}, high{};
  for (const size_t c : kChannels) {
    const float first = static_cast<float>(s.kk * m.sum[c] - s.k * s.kx[c]) * inverse;
    const float rise = static_cast<float>(m.count * s.kx[c] - s.k * m.sum[c]) * inverse;
    low[c] = first * steps;
    high[c] = (first + rise * last) * steps;
  }
  const float carried = static_cast<float>(s.k) * last * inverse_kk - 1.0f;
  const float low_weight = static_cast<float>(determinant) * inverse_kk;
  const float high_weight = static_cast<float>(s.kk) * reciprocal(last * last);
  const auto second = [&](const RoundedEnd& first, int p) {
    Vector wish{};
    for (const size_t c : kChannels) wish[c] = high[c] - carried * first.off[c];
    return round_end(wish, fields, p);
  };
  if (fields.p_bits == PBits::none || fields.p_is_1) {
    const int p = fields.p_is_1 ? 1 : 0;
    const RoundedEnd first = round_end(low, fields, p);
    return {shown(first, fields), shown(second(first, p), fields)};
  }
  RoundedEnd even = round_end(low, fields, 0), odd = round_end(low, fields, 1);
  float even_error = low_weight * even.squares, odd_error = low_weight * odd.squares;
  if (fields.p_bits == PBits::per_end) {
    even = odd = odd.squares < even.squares ? odd : even;
    even_error = odd_error = 0;
  }
  const RoundedEnd high_even = second(even, 0), high_odd = second(odd, 1);
  even_error += high_weight * high_even.squares;
  odd_error += high_weight * high_odd.squares;
  return odd_error < even_error ? Ends{shown(odd, fields), shown(high_odd, fields)}
                                : Ends{shown(even, fields), shown(high_even, fields)};
}

}  // namespace texcast::ref::bc7
