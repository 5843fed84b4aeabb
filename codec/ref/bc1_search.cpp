#include "bc1_search.h"

namespace texcast::ref {
namespace {

constexpr int kSearchRounds = 8;
constexpr int kNoErrorYet = 1 << 30;

bool in_range(const Ends565& ends) {
  for (size_t c = 0; c < 3; ++c) {
    const int largest = c == 1 ? 63 : 31;
    if (ends.a[c] < 0 || ends.a[c] > largest || ends.b[c] < 0 || ends.b[c] > largest) return false;
  }
  return true;
}

struct BestTwo {
  Bc1Candidate first, second;  // with different end points

  void add(const Bc1Candidate& candidate) {
    if (candidate.error < first.error) {
      if (!same_ends(candidate, first)) second = first;
      first = candidate;
    } else if (candidate.error < second.error && !same_ends(candidate, first)) {
      second = candidate;
    }
  }
  static bool same_ends(const Bc1Candidate& x, const Bc1Candidate& y) {
    return x.ends.a == y.ends.a && x.ends.b == y.ends.b;
  }
};

// All ways to cut the sorted texels into four clusters, judged in colour.
void try_four_colour_cuts(const SortedSums& sums, BestTwo& best) {
  const auto& whole = sums[16];
  for (int i = 0; i <= 16; ++i)
    for (int j = i; j <= 16; ++j)
      for (int k = j; k <= 16; ++k) {
        FitSums fit{.w = 48 - i - j - k, .ww = (j - i) + 4 * (k - j) + 9 * (16 - k), .v = whole};
        if (fit.determinant() == 0) continue;
        for (size_t c = 0; c < 3; ++c)
          fit.wv[c] = 3 * whole[c] - sums[static_cast<size_t>(i)][c] - sums[static_cast<size_t>(j)][c] -
                      sums[static_cast<size_t>(k)][c];
        const Ends565 ends = fit_ends(fit);
        best.add({ends, fit_error(fit, ends)});
      }
}

}  // namespace

// One step at a time, the best of the neighbours: one channel of one end point up or down, or of both at once; or two
// neighbouring channels, or all three, of one end point together. These twelve give half of what all 728 neighbours
// would (measured).
Bc1Candidate walk_bc1(const RgbBlock& texels, Bc1Candidate best, Bc1Order order) {
  best.error = nearest_error(texels, best.ends, order);
  for (int round = 0; round < kSearchRounds; ++round) {
    Bc1Candidate next = best;
    for (const int channels : {1, 2, 4, 7, 6, 3})  // a bit each: red, green, blue
      for (int move = 0; move < 9; ++move) {
        const bool alone = channels == 1 || channels == 2 || channels == 4;
        if (move == 4 || (!alone && move % 2 == 0)) continue;
        Ends565 ends = best.ends;
        for (size_t c = 0; c < 3; ++c) {
          ends.a[c] += (channels >> c & 1) * (move / 3 - 1);
          ends.b[c] += (channels >> c & 1) * (move % 3 - 1);
        }
        if (!in_range(ends)) continue;
        const int error = nearest_error(texels, ends, order);
        if (error < next.error) next = {ends, error};
      }
    if (next.error == best.error) break;
    best = next;
  }
  return best;
}

Bc1Block encode_bc1_cluster_search(const RgbBlock& texels, bool allow_black) {
  const Bc1Candidate refined = refine_bc1(texels);
  const auto line = line_of(refined.ends);
  BestTwo four{refined, {{}, kNoErrorYet}};
  try_four_colour_cuts(sort_along(texels, line, {}), four);

  // The two best to begin with end in different valleys often enough to walk from both.
  Bc1Candidate best = walk_bc1(texels, four.first, Bc1Order::four);
  Bc1Order order = Bc1Order::four;
  if (four.second.error != kNoErrorYet) {
    const Bc1Candidate other = walk_bc1(texels, four.second, Bc1Order::four);
    if (other.error < best.error) best = other;
  }
  const Bc1Order three_order = allow_black ? Bc1Order::three_black : Bc1Order::three;
  const Bc1Candidate three = walk_bc1(texels, three_colour_bc1(texels, line, allow_black), three_order);
  if (three.error < best.error) {
    best = three;
    order = three_order;
  }
  return pack_nearest(texels, best.ends, order);
}

}  // namespace texcast::ref
