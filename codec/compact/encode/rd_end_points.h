// rd_end_points.h — RDO of end points: collects the candidates of a coded sub-block, and tries indices with the most
// promising ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "compact/level_distortion.h"
#include "compact/prediction.h"
#include "compact/slice_syntax.h"
#include "compact/symbol_writer.h"
#include "rd_block.h"
#include "rd_indices.h"
#include "refitted_end_points.h"

namespace texcast::compact {

// The symbol of a channel's residual, its share of the next residual's context, and the cost of its escape bits.
struct ChannelResidual {
  uint8_t symbol = 0;
  uint8_t context = 0;
  uint16_t escape_cost = 0;
};
class ChannelResiduals {
 public:
  constexpr ChannelResiduals() {
    for (int difference = -kMost; difference <= kMost; ++difference) {
      ChannelResidual& to = of_[static_cast<size_t>(difference + kMost)];
      const int size = difference < 0 ? -difference : difference;
      to.symbol = kResidualSymbols.of[fold(difference)];
      to.context = static_cast<uint8_t>(2 * ((size > 0) + (size > 1) + (size > 3)) + (difference > 0));
      to.escape_cost = static_cast<uint16_t>(kEscapeCost[to.symbol]);
    }
  }
  const ChannelResidual& of(int difference) const { return of_[static_cast<size_t>(difference + kMost)]; }

 private:
  static constexpr int kMost = 255;
  std::array<ChannelResidual, 2 * kMost + 1> of_{};
};
inline constexpr ChannelResiduals kChannelResiduals;

template <typename SubBlock>
class EndPointSearch {
 public:
  EndPointSearch(RdBlock<SubBlock>& block, IndexSearch<SubBlock>& indices) : block_(block), indices_(indices) {}

  // Tries to code the sub-block better than block.best.
  void search() {
    const Neighbours& neighbours = block_.neighbours;
    const NeighbourState &left = neighbours.left_state, &above = neighbours.above_state;
    const int indices_cost = std::min(block_.least_cost(indices_context(left, above, block_.intra, false)),
                                      block_.least_cost(indices_context(left, above, block_.intra, true)));
    const int kind_cost = block_.cost_of(Kind::coded);
    if (block_.is_worse(0,
                        kind_cost + block_.least_cost(block_.ends_context) + indices_cost + block_.effort.least_saved))
      return;
    most_cost_ = block_.most_cost() - kind_cost - indices_cost;
    neighbour_class_ = neighbours.largest();
    count_ = 0;
    predictor_count_ = 0;
    collect();
    try_candidates(kind_cost, indices_cost, block_.effort.candidates);
    if constexpr (SubBlock::kValues == 2) try_refitted(kind_cost, indices_cost);
  }

 private:
  using Values = std::array<int, SubBlock::kValues>;
  // End points that a residual is added to.
  struct Predictor {
    Values values{};
    EndPoints mode{};
    int cost = 0;      // of the mode
    int contexts = 0;  // the first of its residuals
  };
  // Three neighbours', recent ones and the fitted ones; the input's, flat and widened ones, and a shifted one for each
  // predictor.
  static constexpr int kMostEnds = 3 + kRecent + 1 + 3 + 4;
  // A prediction is poor if its squared differences from the source are worth more bits than this.
  static constexpr int kPoorBits = 60;

  void collect() {
    const Neighbours& neighbours = block_.neighbours;
    const uint32_t reference = ends_of<SubBlock>(block_.prediction.nearest), left = ends_of<SubBlock>(neighbours.left),
                   above = ends_of<SubBlock>(neighbours.above);
    if (!block_.intra) add(reference, EndPoints::reference);
    if (neighbours.has_left) add(left, EndPoints::left);
    if (neighbours.has_above) add(above, EndPoints::above);
    for (int i = 0; i < kRecent; ++i)
      add(ends_of<SubBlock>(block_.recent[i]), static_cast<EndPoints>(static_cast<int>(EndPoints::recent) + i));
    if (!block_.intra) add_predictor(reference, EndPoints::near_reference);
    if (neighbours.has_left || block_.intra) add_predictor(left, EndPoints::near_left);
    if (neighbours.has_above) add_predictor(above, EndPoints::near_above);
    if (!block_.intra) {
      block_.prediction.is_poor = squared_error_of(block_.prediction.texels, block_.source) * block_.weight >
                                  block_.score_of(0, kPoorBits * 32);
      const uint32_t fitted = widened_ends<SubBlock>(block_.prediction.window.fitted(), block_.least_range);
      add_predictor(fitted, EndPoints::near_fit);
      add(fitted, EndPoints::fit);
    }
    const uint32_t input = ends_of<SubBlock>(block_.input);
    add_near(input);
    add_near(flat());
    if constexpr (SubBlock::kValues == 2) {
      const auto v = SubBlock::values(input);
      if (v[0] > v[1]) add_near(widened_ends<SubBlock>(input, block_.least_range));
      if (!block_.intra) add_shifted();
    }
  }

  // Tries the candidates in the order of the lower bounds of their scores, at most `most` of them. Most of the others
  // cannot be better then. `indices_cost`: the least cost of indices.
  void try_candidates(int kind_cost, int indices_cost, int most) {
    struct Try {
      int least;  // score, whatever the indices
      int which;
    };
    std::array<Try, kMostEnds> tries;
    int left_to_try = 0;
    for (int i = 0; i < count_; ++i) {
      if (costs_[i] > most_cost_) continue;
      losses_[i].measure(block_.component.kind, ends_[i], block_.source);
      tries[left_to_try] = {block_.score_of(losses_[i].least, kind_cost + costs_[i] + indices_cost), i};
      if (tries[left_to_try].least < block_.best.score) ++left_to_try;
    }
    for (int tried = 0; tried < most && left_to_try > 0; ++tried) {
      int first = 0;
      for (int i = 1; i < left_to_try; ++i)
        if (tries[i].least < tries[first].least) first = i;
      const auto [least, which] = tries[first];
      if (least >= block_.best.score) return;
      indices_.search(end_points(which), losses_[which], kind_cost + costs_[which]);
      --left_to_try;
      for (int i = first; i < left_to_try; ++i) tries[i] = tries[i + 1];
    }
  }
  // If a coded choice is the best so far: tries the end points that fit its levels best, and others next to them.
  void try_refitted(int kind_cost, int indices_cost) {
    if (block_.best.kind != Kind::coded || block_.effort.refits == 0) return;
    const uint32_t ends = ends_of<SubBlock>(block_.best.value);
    const bool full = SubBlock::full(block_.component.kind, ends);
    const auto fitted = refitted_ends(levels_of<SubBlock>(block_.best.value, full), block_.source.bytes(), full);
    if (!fitted) return;
    most_cost_ = block_.most_cost() - kind_cost - indices_cost;
    count_ = 0;
    for (int i = 0; i < block_.effort.refits; ++i) {
      const Values values{(*fitted)[0] + kRefits[i][0], (*fitted)[1] + kRefits[i][1]};
      const auto is_byte = [](int v) { return v >= 0 && v <= 255; };
      if (std::ranges::all_of(values, is_byte) && (values[0] > values[1]) == full && SubBlock::ends(values) != ends)
        add_near(SubBlock::ends(values));
    }
    try_candidates(kind_cost, indices_cost, kMostRefits);
  }

  void add_predictor(uint32_t ends, EndPoints mode) {
    const int which = static_cast<int>(mode) - static_cast<int>(EndPoints::near_reference);
    predictors_[predictor_count_++] = {SubBlock::values(ends), mode,
                                       block_.cost_of(block_.ends_context, static_cast<int>(mode)),
                                       context::kResidual.first + which * context::kResidual.size / 4};
  }
  std::span<const Predictor> predictors() const { return std::span(predictors_).first(predictor_count_); }

  void add(uint32_t ends, EndPoints mode) {
    keep(ends, mode, block_.cost_of(block_.ends_context, static_cast<int>(mode)));
  }
  void keep(uint32_t ends, EndPoints mode, int cost) {
    int i = 0;
    while (i < count_ && ends_[i] != ends) ++i;
    if (i == count_) {
      ++count_;
    } else if (cost >= costs_[i]) {
      return;
    }
    ends_[i] = ends;
    modes_[i] = mode;
    costs_[i] = cost;
  }
  // Adds end points with a residual to the predictor from which they cost least. Too expensive ones take a place too,
  // in which the same end points may be added at a lower cost.
  void add_near(uint32_t ends) {
    const Values values = SubBlock::values(ends);
    EndPoints mode{};
    int least = kWorst, most = most_cost_;
    for (const Predictor& predictor : predictors()) {
      const int cost = cost_near(predictor, values, most);
      if (cost > most) continue;
      mode = predictor.mode;
      least = cost;
      most = cost - 1;
    }
    keep(ends, mode, least);
  }
  // The exact cost, or any cost above `most`.
  int cost_near(const Predictor& predictor, const Values& values, int most) const {
    int cost = predictor.cost;
    if constexpr (SubBlock::kValues == 2) {
      // As below by tables, which pay off for so many sub-blocks.
      const ChannelResidual &first = kChannelResiduals.of(values[0] - predictor.values[0]),
                            &second = kChannelResiduals.of(values[1] - predictor.values[1]);
      const auto* const costs = &block_.tables.cost[predictor.contexts];
      return cost + costs[neighbour_class_][first.symbol] + first.escape_cost +
             costs[4 + neighbour_class_ * 8 + first.context][second.symbol] + second.escape_cost;
    }
    Values known{};
    for (int step = 0; step < SubBlock::kValues && cost <= most; ++step) {
      const int i = kOrder<SubBlock>[step];
      known[i] = values[i] - predictor.values[i];
      const int symbol = kResidualSymbols.of[fold(known[i])];
      cost += block_.cost_of(residual_context<SubBlock>(predictor.mode, step, known, neighbour_class_), symbol) +
              kEscapeCost[symbol];
    }
    return cost;
  }
  RdEndPoints<SubBlock> end_points(int i) const {
    RdEndPoints<SubBlock> out{.ends = ends_[i], .mode = modes_[i]};
    if (!has_residual(static_cast<int>(out.mode))) return out;
    const Predictor& predictor = *std::ranges::find(predictors_, out.mode, &Predictor::mode);
    const Values values = SubBlock::values(out.ends);
    for (int v = 0; v < SubBlock::kValues; ++v) {
      out.residual[v] = values[v] - predictor.values[v];
      out.largest = std::max(out.largest, magnitude_class(out.residual[v]));
    }
    return out;
  }
  // Both end points are the mean of the source.
  uint32_t flat() const {
    const auto of = means_of(block_.source);
    if constexpr (SubBlock::kChannels == 1) {
      return SubBlock::ends({of[0], of[0]});
    } else {
      const auto five = [](int v) { return (v * 31 + 127) / 255; };
      const auto six = [](int v) { return (v * 63 + 127) / 255; };
      return SubBlock::ends({five(of[0]), six(of[1]), five(of[2]), five(of[0]), six(of[1]), five(of[2])});
    }
  }
  // The predictors' end points, shifted by the difference of the source's mean from the prediction's.
  void add_shifted() {
    const int sum = sum_of(block_.source) - sum_of(block_.prediction.texels);
    const int more = (sum + (sum < 0 ? -8 : 8)) / 16;
    if (more == 0) return;
    for (const Predictor& predictor : predictors()) {
      auto v = predictor.values;
      for (int& value : v) value = std::clamp(value + more, 0, 255);
      add_near(SubBlock::ends(v));
    }
  }

  RdBlock<SubBlock>& block_;
  IndexSearch<SubBlock>& indices_;
  int neighbour_class_ = 0;
  std::array<Predictor, 4> predictors_{};
  size_t predictor_count_ = 0;
  int most_cost_ = 0;  // more expensive end points cannot be the best
  // The candidates: end points, their mode, and its cost with the residual.
  std::array<uint32_t, kMostEnds> ends_{};
  std::array<EndPoints, kMostEnds> modes_{};
  std::array<int, kMostEnds> costs_{};
  std::array<LevelDistortion<SubBlock>, kMostEnds> losses_;
  int count_ = 0;
};

}  // namespace texcast::compact
