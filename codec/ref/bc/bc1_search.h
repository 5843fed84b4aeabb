// bc1_search.h — the parts of cluster fit with search: clusterings into four and three, and the neighbourhood search.
#pragma once

#include <vector>

#include "bc1_cuts.h"
#include "bc1_line.h"
#include "bc1_nearest.h"

namespace texcast::ref {

// A start of the search: end points in the order of the block (c0 is `ends.a`), and nearest_error().
struct SearchStart {
  Ends565 ends;
  Bc1Order order = Bc1Order::four;
  int error = 0;
};

// The best few starts, all different; among equals those that were added first.
class SearchStarts {
 public:
  enum class Orders { four, any, any_with_black };  // that blocks may have
  SearchStarts(const RgbBlock& texels, Orders orders) : texels_(texels), orders_(orders) {}
  // Takes end points in any order.
  void add(const LineEnds& ends, bool four_colours);
  const std::vector<SearchStart>& best() const { return best_; }

 private:
  const RgbBlock& texels_;
  Orders orders_;
  std::vector<SearchStart> best_;
};

// Adds the fits of likeliest_splits().
void add_four_colour_cuts(const LineBlock& block, const SortedTexels& sorted, SearchStarts& starts);

// Adds the best clustering into three of weights 0, 1/2 and 1: for each number of texels in the middle cluster the
// split that explains most of the variance, judged by its least-squares end points.
void add_three_colour_cuts(const SortedTexels& sorted, SearchStarts& starts);

// Adds the best of the clusterings in which the 1, 2, … darkest texels become black and the others are sorted along
// their own axis.
void add_black_cuts(const RgbBlock& texels, const LineBlock& block, SearchStarts& starts);

// The result of a descent among the start's 5-6-5 neighbours.
SearchStart walk_bc1(const RgbBlock& texels, SearchStart best);

}  // namespace texcast::ref
