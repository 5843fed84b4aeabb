#include "bc7_indices.h"

#include <algorithm>

#include "kernels/effort.h"
#include "ref/reciprocal.h"

namespace texcast::ref::bc7 {

namespace {

// Sets each texel's index to the nearest along the line between its subset's end points.
void take_indices(const Set& set, Refined& refined) {
  const auto last = static_cast<float>(set.fields.last());
  refined.sums = {};
  for (size_t i = 0; i < 16; ++i) {
    const auto s = static_cast<size_t>(set.of[i]);
    const Ends& ends = refined.ends[s];
    int length = 0, along = 0;
    for (const size_t c : kChannels) {
      const int d = ends.high[c] - ends.low[c];
      length += d * d;
      along += d * ((*set.texels)[i][c] - ends.low[c]);
    }
    const float scale = last * reciprocal(static_cast<float>(std::max(length, 1)));
    refined.indices[i] = nearest(std::min(std::max(static_cast<float>(along) * scale, 0.0f), last));
    refined.sums[s].add(refined.indices[i], (*set.texels)[i]);
  }
}

// The squared error from the sums alone, as if values were evenly spaced and not rounded.
float error_by_sums(const Moments& m, const IndexSums& s, const Ends& ends, int last) {
  int at_low = 0, length = 0;
  Vector way{}, from_low{};
  for (const size_t c : kChannels) {
    const int low = ends.low[c], d = ends.high[c] - low;
    at_low += m.products[c][c] - 2 * low * m.sum[c] + m.count * low * low;
    length += d * d;
    way[c] = static_cast<float>(d);
    from_low[c] = static_cast<float>(s.kx[c] - s.k * low);
  }
  const float share = reciprocal(static_cast<float>(last));
  return (static_cast<float>(at_low) - dot(way, from_low) * (share + share)) +
         static_cast<float>(length) * static_cast<float>(s.kk) * (share * share);
}

void measure(const Set& set, const std::array<Moments, 2>& moments, Refined& refined) {
  take_indices(set, refined);
  refined.error = 0;
  for (size_t s = 0; s < set.count(); ++s)
    refined.error += error_by_sums(moments[s], refined.sums[s], refined.ends[s], set.fields.last());
}

std::array<Moments, 2> moments_of(const Set& set) {
  return {Moments(*set.texels, set.of, 0), Moments(*set.texels, set.of, 1)};
}

}  // namespace

Refined fit(const Set& set) {
  const std::array<Moments, 2> moments = moments_of(set);
  Refined refined;
  const auto last = static_cast<float>(set.fields.last());
  for (size_t s = 0; s < set.count(); ++s) {
    const Axis axis(moments[s], set.subset_count == 1 ? TEXCAST_BC7_POWERS : TEXCAST_BC7_SUBSET_POWERS);
    std::array<float, 16> along{};
    float least = 3e38f, most = -3e38f;
    for (size_t i = 0; i < 16; ++i) {
      if (set.of[i] != static_cast<int>(s)) continue;
      Vector texel{};
      for (const size_t c : kChannels) texel[c] = static_cast<float>((*set.texels)[i][c]);
      along[i] = dot(axis.direction, texel);
      least = std::min(least, along[i]);
      most = std::max(most, along[i]);
    }
    const float scale = reciprocal(std::max(most - least, kTiny));
    for (size_t i = 0; i < 16; ++i)
      if (set.of[i] == static_cast<int>(s))
        refined.sums[s].add(nearest((along[i] - least) * scale * last), (*set.texels)[i]);
    refined.ends[s] = fit_ends(moments[s], refined.sums[s], set.fields);
  }
  measure(set, moments, refined);
  return refined;
}

void fit_again(const Set& set, Refined& best) {
  const std::array<Moments, 2> moments = moments_of(set);
  Refined again;
  for (size_t s = 0; s < set.count(); ++s) again.ends[s] = fit_ends(moments[s], best.sums[s], set.fields);
  measure(set, moments, again);
  if (again.error < best.error) best = again;
}

}  // namespace texcast::ref::bc7
