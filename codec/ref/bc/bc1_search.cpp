#include "bc1_search.h"

#include <algorithm>

#include "kernels/effort.h"

namespace texcast::ref {
namespace {

// The gain falls fast with the rank of the start: 4 of 17 give all but 0.001 dB of all of them (measured).
constexpr size_t kKept = 4;

// Six moves for one channel: an end point up or down, or both in opposite directions. The first four also for two
// neighbouring channels and for all three together. These thirty gain as much as all 728 neighbours would, within 0.001
// dB; moving both end points in the same direction never helps (measured).
constexpr std::array<std::array<int, 2>, 6> kMoves = {{{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, 1}, {1, -1}}};
constexpr std::array kChannels = {1, 2, 4, 7, 6, 3};  // one bit each: red, green, blue

Color565 moved(Color565 color, int channels, int move) {
  for (size_t c = 0; c < 3; ++c) color[c] = std::clamp(color[c] + (channels >> c & 1) * move, 0, c == 1 ? 63 : 31);
  return color;
}

Float3 line_between(const Ends565& ends) {
  const auto a = expanded(ends.a), b = expanded(ends.b);
  return {static_cast<float>(a[0] - b[0]), static_cast<float>(a[1] - b[1]), static_cast<float>(a[2] - b[2])};
}

Color565 whole_codes(const Float3& code) {
  return {static_cast<int>(code[0]), static_cast<int>(code[1]), static_cast<int>(code[2])};
}

LineEnds line_of_split(const LineBlock& block, const SortedTexels& sorted, const Split& s) {
  LineSums sums{static_cast<float>(s.sum_w()), static_cast<float>(s.sum_ww()), {}};
  for (size_t c = 0; c < 3; ++c) {
    const auto upto = [&](int cut) { return sorted.colors[static_cast<size_t>(cut)][c]; };
    sums.wv[c] = 3 * block.sum[c] - (upto(s.i) + upto(s.j) + upto(s.k));
  }
  return line_fit(block.sum, sums);
}

}  // namespace

void SearchStarts::add(const LineEnds& line, bool four_colours) {
  SearchStart start{{whole_codes(line.code_a), whole_codes(line.code_b)}};
  if (orders_ != Orders::four && (!four_colours || start.ends.equal()))
    start.order = orders_ == Orders::any_with_black ? Bc1Order::three_black : Bc1Order::three;
  put_in_order(start.ends, start.order);
  start.error = nearest_error(texels_, start.ends, start.order);
  const auto same = [&](const SearchStart& s) {
    return s.ends.a == start.ends.a && s.ends.b == start.ends.b && s.order == start.order;
  };
  if (std::any_of(best_.begin(), best_.end(), same)) return;
  const auto worse = [&](const SearchStart& s) { return s.error > start.error; };
  best_.insert(std::find_if(best_.begin(), best_.end(), worse), start);
  if (best_.size() > kKept) best_.pop_back();
}

void add_four_colour_cuts(const LineBlock& block, const SortedTexels& sorted, SearchStarts& starts) {
  for (const Split& split : likeliest_splits(sorted)) starts.add(line_of_split(block, sorted, split), true);
}

// Takes the best neighbour in each step.
SearchStart walk_bc1(const RgbBlock& texels, SearchStart best) {
  for (int round = 0; round < TEXCAST_SEARCH_ROUNDS; ++round) {
    SearchStart next = best;
    for (size_t n = 0; n < kChannels.size(); ++n)
      for (size_t move = 0; move < (n < 3 ? 6 : 4); ++move) {
        const Ends565 ends = {moved(best.ends.a, kChannels[n], kMoves[move][0]),
                              moved(best.ends.b, kChannels[n], kMoves[move][1])};
        const int error = nearest_error(texels, ends, best.order);
        if (error < next.error) next = {ends, best.order, error};
      }
    if (next.error == best.error) break;
    best = next;
  }
  return best;
}

namespace {

Bc1Block cluster_search(const RgbBlock& texels, SearchStarts::Orders orders) {
  const LineBlock block = line_block(texels);
  const SortedTexels along_axis = sort_along(block, line_axis(block), {});
  SearchStarts starts(texels, orders);
  starts.add(line_flat(block.sum), true);
  if (orders != SearchStarts::Orders::four) add_three_colour_cuts(along_axis, starts);
  add_four_colour_cuts(block, along_axis, starts);
  // Once more along the line that won, as it is the better axis for these end points.
  add_four_colour_cuts(block, sort_along(block, line_between(starts.best().front().ends), {}), starts);
  if (orders == SearchStarts::Orders::any_with_black) add_black_cuts(texels, block, starts);

  SearchStart best = walk_bc1(texels, starts.best().front());
  for (const SearchStart& start : starts.best())
    if (const SearchStart end = walk_bc1(texels, start); end.error < best.error) best = end;
  return pack_nearest(texels, best.ends, best.order);
}

}  // namespace

Bc1Block encode_bc1_cluster_search(const RgbBlock& texels, bool allow_black) {
  return cluster_search(texels, allow_black ? SearchStarts::Orders::any_with_black : SearchStarts::Orders::any);
}

Bc1Block encode_bc3_color_cluster_search(const RgbBlock& texels) {
  return cluster_search(texels, SearchStarts::Orders::four);
}

}  // namespace texcast::ref
