#include "astc_choose.h"

#include <algorithm>
#include <bit>

#include "astc_steps.h"
#include "astc_waves.h"
#include "kernels/effort.h"
#include "ref/reciprocal.h"

namespace texcast::ref::astc {
namespace {

// The best candidates so far, kept in place: the worst is dropped when a better one is added.
class Kept {
 public:
  explicit Kept(int most) : choices_(static_cast<size_t>(most)) {}
  void offer(const Choice& choice) {
    if (!(choice.estimate < choices_.back().estimate)) return;
    size_t at = choices_.size() - 1;
    for (; at > 0 && choice.estimate < choices_[at - 1].estimate; --at) choices_[at] = choices_[at - 1];
    choices_[at] = choice;
  }
  std::vector<Choice> take() { return std::move(choices_); }

 private:
  std::vector<Choice> choices_;
};

// The positions of the texels along their line, whole numbers from 0 to kPlaces. For one plane of weights.
Values places_of(const Texels& texels, const Lines& lines) {
  Values places{};
  for (size_t i = 0; i < texels.all().size(); ++i) {
    const Strand& strand = lines.strand[partitions_of(lines.kind) == 2 && (lines.second >> i & 1) != 0 ? 1 : 0];
    const float unit = kPlaces * reciprocal(std::max(strand.span(), 1e-12F));
    places[i] = rounded((dot(texels.values[i], strand.direction) - strand.least) * unit);
  }
  return places;
}

class Estimator {
 public:
  Estimator(const Texels& texels, const Tables& tables, int most_layouts, Kept& kept)
      : texels_(texels), tables_(tables), most_layouts_(most_layouts), kept_(kept) {}

  void operator()(const Lines& lines, int most_grids) {
    const int side = texels_.side;
    const int of_class = TEXCAST_ASTC_CLASS(lines.kind, texels_.has_alpha ? 1 : 0);
    const bool is_dual = planes_of(lines.kind) == 2;
    const Values places = is_dual ? Values{} : places_of(texels_, lines);
    // The weight of a position in the squared colour error. Positions of both partitions share a grid, so this is a
    // mean.
    float length = lines.strand[0].squared_length();
    if (is_dual) length += lines.strand[1].squared_length();
    if (partitions_of(lines.kind) == 2)
      length = (lines.strand[0].count * length + lines.strand[1].count * lines.strand[1].squared_length()) *
               reciprocal(static_cast<float>(texels_.count()));
    const float of_place = length * (1 / (kPlaces * kPlaces));
    const int grids = std::min(most_grids, tables_.grids(of_class));
    // A grid with a weight per texel loses nothing, and is mostly the only one or one of few.
    const Values squares = is_dual ? squares_apart(lines) : grids > 1 ? squares_of(places, of_place) : Values{};
    for (int g = 0; g < grids; ++g) {
      const Grid grid = tables_.grid(of_class, g);
      const bool is_whole = grid.width == side && grid.height == side;
      const float rest = is_whole ? lines.rest : lines.rest + lost_by(tables_, grid, side, squares);
      for (int n = grid.first; n < grid.first + std::min(grid.layouts, most_layouts_); ++n) {
        const Layout layout = tables_.layout(n);
        const float weights =
            is_whole && !is_dual ? rounding_of(layout, places) * of_place : layout.weights_rounding * length;
        kept_.offer({.kind = lines.kind,
                     .parameter = lines.parameter,
                     .layout = n,
                     .estimate = (rest + weights) + layout.colors_rounding});
      }
    }
  }

 private:
  // In squared positions; whole numbers below 2^24.
  float rounding_of(const Layout& layout, const Values& places) const {
    float error = 0;
    for (size_t i = 0; i < texels_.all().size(); ++i) {
      const float off = off_step(layout, places[i]);
      error += off * off;
    }
    return error;
  }

  Values squares_of(const Values& places, float of_place) const {
    Values squares = squared_waves(places, texels_.side);
    for (float& square : squares) square *= of_place;
    return squares;
  }

  Values squares_apart(const Lines& lines) const {
    Values along{}, apart{};
    for (size_t i = 0; i < texels_.all().size(); ++i) {
      along[i] = dot(texels_.values[i], lines.strand[0].direction);
      apart[i] = texels_.values[i][static_cast<size_t>(lines.parameter)];
    }
    Values squares = squared_waves(along, texels_.side);
    const Values others = squared_waves(apart, texels_.side);
    for (size_t i = 0; i < squares.size(); ++i) squares[i] = squares[i] * lines.strand[0].inverse + others[i];
    return squares;
  }

  const Texels& texels_;
  const Tables& tables_;
  const int most_layouts_;
  Kept& kept_;
};

// The partitions with the least residual error, best first. Candidates are those of the likeliest that are nearest to
// the two halves of the block's line; they are ordered by their residual error.
std::vector<int> likely_pairs(const LineFinder& finder, const Texels& texels, const Tables& tables, Method method) {
  struct Ranked {
    float rest;
    int partition;
  };
  const int effort = static_cast<int>(method);
  const int most_near = TEXCAST_ASTC_NEAR(effort);
  const uint64_t upper = finder.upper_half();
  const int count = texels.count();
  std::vector<std::pair<int, int>> near;
  for (int n = 0; n < std::min(TEXCAST_ASTC_PATTERNS(effort), tables.partitions()); ++n) {
    const int unlike = std::popcount(upper ^ tables.partition(n));
    near.emplace_back(std::min(unlike, count - unlike), n);
  }
  if (most_near > 0) {
    std::ranges::sort(near);
    near.resize(std::min(near.size(), static_cast<size_t>(most_near)));
  }
  std::vector<Ranked> ranked;
  const bool is_measured = most_near == 0 || most_near > TEXCAST_ASTC_PAIRS(effort);
  for (const auto& [unlike, n] : near) ranked.push_back({is_measured ? finder.rest_of_pair(n) : 0, n});
  std::ranges::stable_sort(ranked, {}, &Ranked::rest);
  ranked.resize(std::min(ranked.size(), static_cast<size_t>(TEXCAST_ASTC_PAIRS(effort))));
  std::vector<int> pairs;
  for (const Ranked& r : ranked) pairs.push_back(r.partition);
  return pairs;
}

}  // namespace

std::vector<Choice> choose(const LineFinder& finder, const Texels& texels, const Tables& tables, Method method) {
  const int effort = static_cast<int>(method);
  Kept kept(TEXCAST_ASTC_KEPT(effort, texels.side));
  Estimator estimate(texels, tables, TEXCAST_ASTC_LAYOUTS_EACH(effort), kept);
  const bool is_grey = texels.is_grey;
  estimate(finder.find(is_grey ? TEXCAST_ASTC_GREY : TEXCAST_ASTC_SINGLE, 0), TEXCAST_ASTC_GRIDS(effort, texels.side));
  if (!is_grey || texels.has_alpha)
    estimate(finder.find(TEXCAST_ASTC_DUAL, finder.channel_apart()), TEXCAST_ASTC_DUAL_GRIDS(effort, texels.side));
  for (const int partition : likely_pairs(finder, texels, tables, method))
    estimate(finder.find(is_grey ? TEXCAST_ASTC_GREYS : TEXCAST_ASTC_PAIR, partition),
             TEXCAST_ASTC_PAIR_GRIDS(effort, texels.side));
  if (TEXCAST_ASTC_SCALES(effort) != 0 && !is_grey)
    estimate(finder.find(TEXCAST_ASTC_SCALED, 0), TEXCAST_ASTC_GRIDS(effort, texels.side));
  return kept.take();
}

}  // namespace texcast::ref::astc
