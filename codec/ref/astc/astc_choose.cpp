#include "astc_choose.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/effort.h"
#include "ref/reciprocal.h"

namespace texcast::ref::astc {
namespace {

// The best so far, in place: the worst is dropped where a better one comes in.
class Kept {
 public:
  explicit Kept(int most) : choices_(static_cast<size_t>(most)) {}
  void offer(const Choice& choice) {
    if (!(choice.estimate < choices_.back().estimate)) return;
    size_t at = choices_.size() - 1;
    for (; at > 0 && choice.estimate < choices_[at - 1].estimate; --at) choices_[at] = choices_[at - 1];
    choices_[at] = choice;
  }
  float worst() const { return choices_.back().estimate; }
  std::vector<Choice> take() { return std::move(choices_); }

 private:
  std::vector<Choice> choices_;
};

// Where the texels lie on their strand, from 0 to 1: of the plane of weights, or of both partitions.
using Places = std::array<float, kMostTexels>;

Places places_of(const Texels& texels, const Lines& lines, int plane) {
  Places places{};
  for (size_t i = 0; i < texels.all().size(); ++i) {
    const bool second = partitions_of(lines.kind) == 2 ? (lines.second >> i & 1) != 0 : plane == 1;
    const Strand& strand = lines.strand[second ? 1 : 0];
    const float span = reciprocal(std::max(strand.greatest - strand.least, 1e-12F));
    const float at_mean = dot(strand.mean, strand.direction);
    places[i] = ((dot(texels.values[i], strand.direction) - at_mean) - strand.least) * span;
  }
  return places;
}

// The best weights of a grid for the places, without bounds but then brought to 0..1: SIDE a row, zeros beyond the
// grid.
Places weights_for(const Tables& tables, const Grid& grid, int side, const Places& places) {
  Places weights{};
  for (int column = 0; column < side; ++column) {
    std::array<float, TEXCAST_ASTC_MAX_SIDE> along{};
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        along[static_cast<size_t>(y)] += places[static_cast<size_t>(side * y + x)] * tables.best(grid.width, column, x);
    for (int row = 0; row < side; ++row) {
      float weight = 0;
      for (int y = 0; y < side; ++y) weight += along[static_cast<size_t>(y)] * tables.best(grid.height, row, y);
      weights[static_cast<size_t>(row * side + column)] = std::min(std::max(weight, 0.0F), 1.0F);
    }
  }
  return weights;
}

// The squares of what weights do not draw of the places.
float undrawn(const Tables& tables, const Grid& grid, int side, const Places& places, const Places& weights) {
  float lost = 0;
  for (int x = 0; x < side; ++x) {
    std::array<float, TEXCAST_ASTC_MAX_SIDE> along{};
    for (int row = 0; row < side; ++row)
      for (int column = 0; column < side; ++column)
        along[static_cast<size_t>(row)] +=
            weights[static_cast<size_t>(row * side + column)] * tables.drawn(grid.width, column, x);
    for (int y = 0; y < side; ++y) {
      float drawn = 0;
      for (int row = 0; row < side; ++row) drawn += along[static_cast<size_t>(row)] * tables.drawn(grid.height, row, y);
      const float difference = places[static_cast<size_t>(side * y + x)] - drawn;
      lost += difference * difference;
    }
  }
  return lost;
}

// The squares of what weights lose in `steps` steps, each step being one.
float rounding_of(const Places& weights, int side, float steps) {
  float error = 0;
  for (size_t i = 0; i < static_cast<size_t>(side * side); ++i) {
    const float place = weights[i] * steps;
    const float lost = place - std::floor(place + 0.5F);
    error += lost * lost;
  }
  return error;
}

class Estimator {
 public:
  Estimator(const Texels& texels, const Tables& tables, int most_layouts, Kept& kept)
      : texels_(texels), tables_(tables), most_layouts_(most_layouts), kept_(kept) {}

  void operator()(const Lines& lines, int most_grids) {
    const bool is_pair = partitions_of(lines.kind) == 2, has_two_planes = planes_of(lines.kind) == 2;
    std::array<float, 2> length{};  // squared
    for (size_t s = 0; s < 2; ++s) {
      const float span = lines.strand[s].greatest - lines.strand[s].least;
      length[s] = (span * lines.strand[s].inverse) * span;
    }
    // Both partitions' places are in one grid: a mean.
    if (is_pair)
      length[0] = (lines.strand[0].count * length[0] + lines.strand[1].count * length[1]) *
                  reciprocal(static_cast<float>(texels_.count()));
    const int side = texels_.side;
    const int of_class = TEXCAST_ASTC_CLASS(lines.kind, texels_.has_alpha ? 1 : 0);
    const Places first = places_of(texels_, lines, 0),
                 second = has_two_planes ? places_of(texels_, lines, 1) : Places{};
    for (int g = 0; g < std::min(most_grids, tables_.grids(of_class)); ++g) {
      const Grid grid = tables_.grid(of_class, g);
      const bool is_whole = grid.width == side && grid.height == side;
      Places own = first, apart = second;
      float rest = lines.rest;
      if (!is_whole) {
        own = weights_for(tables_, grid, side, first);
        rest += undrawn(tables_, grid, side, first, own) * length[0];
        if (has_two_planes) {
          apart = weights_for(tables_, grid, side, second);
          rest += undrawn(tables_, grid, side, second, apart) * length[1];
        }
      }
      for (int n = grid.first; n < grid.first + std::min(grid.layouts, most_layouts_); ++n) {
        const Layout layout = tables_.layout(n);
        const auto steps = static_cast<float>(tables_.last_step(layout.weight_range));
        float weights = rounding_of(own, side, steps) * length[0];
        if (has_two_planes) weights += rounding_of(apart, side, steps) * length[1];
        kept_.offer({.kind = lines.kind,
                     .parameter = lines.parameter,
                     .layout = n,
                     .estimate = (rest + weights * layout.weight_share) + colors(lines, layout.color_range)});
      }
    }
  }

 private:
  // What the rounding of the end points costs texels that lie anywhere between: a third of each one's.
  float colors(const Lines& lines, int range) const {
    float error = 0;
    for (int p = 0; p < partitions_of(lines.kind); ++p) {
      const Line line = line_of(lines, p);
      float own = 0;
      for (size_t c = 0; c < (texels_.has_alpha ? 4U : 3U); ++c)
        for (const float end : {line.low[c], line.high[c]}) {
          const float value = std::min(std::max(texels_.center[c] + end, 0.0F), 255.0F);
          const float lost = value - tables_.color(range, std::floor(value + 0.5F)).value;
          own += lost * lost;
        }
      error += own * (lines.strand[static_cast<size_t>(p)].count * (1.0F / 3));
    }
    return error;
  }

  const Texels& texels_;
  const Tables& tables_;
  const int most_layouts_;
  Kept& kept_;
};

// The partitions that leave least, least first: of the likeliest those that are nearest to the two halves of the
// block's one line, of them by what they leave.
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
  for (const auto& [unlike, n] : near) ranked.push_back({near.size() == 1 ? 0 : finder.rest_of_pair(n), n});
  std::ranges::stable_sort(ranked, {}, &Ranked::rest);
  ranked.resize(std::min(ranked.size(), static_cast<size_t>(TEXCAST_ASTC_PAIRS(effort))));
  std::vector<int> pairs;
  for (const Ranked& r : ranked) pairs.push_back(r.partition);
  return pairs;
}

}  // namespace

std::vector<Choice> choose(const Texels& texels, const Tables& tables, Method method) {
  const int effort = static_cast<int>(method);
  const LineFinder finder(texels, tables);
  Kept kept(TEXCAST_ASTC_KEPT(effort));
  Estimator estimate(texels, tables, TEXCAST_ASTC_LAYOUTS_EACH(effort), kept);
  for (const int kind : {TEXCAST_ASTC_SINGLE, TEXCAST_ASTC_SCALED})
    estimate(finder.find(kind, 0), TEXCAST_ASTC_GRIDS(effort, texels.side));
  const Lines greys = finder.find(TEXCAST_ASTC_GREY, 0);
  // Greys in two partitions leave no less of the colours than one line of greys leaves.
  const bool is_grey = greys.rest < kept.worst();
  if (is_grey) estimate(greys, TEXCAST_ASTC_GRIDS(effort, texels.side));
  for (int channel = 0; channel < (texels.has_alpha ? 4 : 3); ++channel)
    estimate(finder.find(TEXCAST_ASTC_DUAL, channel), TEXCAST_ASTC_DUAL_GRIDS(effort, texels.side));
  for (const int partition : likely_pairs(finder, texels, tables, method)) {
    estimate(finder.find(TEXCAST_ASTC_PAIR, partition), TEXCAST_ASTC_PAIR_GRIDS(effort, texels.side));
    if (is_grey) estimate(finder.find(TEXCAST_ASTC_GREYS, partition), TEXCAST_ASTC_PAIR_GRIDS(effort, texels.side));
  }
  return kept.take();
}

}  // namespace texcast::ref::astc
