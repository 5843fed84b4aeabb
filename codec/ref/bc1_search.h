// bc1_search.h — the parts of cluster fit with search: sorted texels, three-colour clusters, the walk.
#pragma once

#include "bc1_nearest.h"

namespace texcast::ref {

// Texels that are left out of the fit, because they take black.
using BlackTexels = std::array<bool, 16>;

// Prefix sums of the texels sorted along a line: [p] holds R, G, B of the first p. Black ones come first and count as
// nothing; texels at one place keep their order.
using SortedSums = std::array<std::array<int, 3>, 17>;
SortedSums sort_along(const RgbBlock& texels, const std::array<int, 3>& line, const BlackTexels& black);

// The best least-squares end points of all ways to cut the texels, sorted along `line`, into three clusters of weights
// 0, 1/2 and 1; with `allow_black` also with the 1, 2, ... darkest texels left to black and the others sorted along a
// line of their own. `error` is 4 times the squared
// error with exact middles, less 4 times the texels' squares.
Bc1Candidate three_colour_bc1(const RgbBlock& texels, const std::array<int, 3>& line, bool allow_black);

// The candidate after walking downhill among its 5-6-5 neighbours; `error` becomes nearest_error.
Bc1Candidate walk_bc1(const RgbBlock& texels, Bc1Candidate best, Bc1Order order);

}  // namespace texcast::ref
