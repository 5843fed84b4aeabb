// rd_indices.h — RDO of indices: for end points that are given, tries the modes of indices, and the ranks or levels of
// modes that have them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "compact/level_distortion.h"
#include "compact/lossy_prediction.h"
#include "compact/slice_syntax.h"
#include "rd_block.h"

namespace texcast::compact {

// The predicted level of a texel, and whether its position on the line lies beyond that level.
struct PredictedLevel {
  int level;
  bool beyond;
};
// The prediction of lossy inter slices: by the prediction block, corrected by 3/8 of its errors in the left and the
// upper texel. at(i) is called after put() of all texels before i. put() may be called again for another level.
class CorrectedPrediction {
 public:
  CorrectedPrediction(const CarryPositions& places, int steps) : places_(places), steps_(steps) {}
  PredictedLevel at(int i) const {
    const int place = places_.eighths[i] + (i % 4 != 0 ? left_ : 0) + above_[i % 4];
    const int nearest = std::clamp((place + 3) >> 3, 0, steps_);
    return {nearest, place > 8 * nearest};
  }
  void put(int i, int level) { left_ = above_[i % 4] = 3 * std::min(level, steps_) - places_.predicted[i]; }

 private:
  const CarryPositions& places_;
  const int steps_;
  int left_ = 0, above_[4]{};
};
// The prediction of Indices::intra for channels: by the levels on the left and above. Used in the same way.
class IntraPrediction {
 public:
  explicit IntraPrediction(int steps) : steps_(steps) {}
  PredictedLevel at(int i) const { return {predicted_intra_level(levels_, i, steps_), true}; }
  void put(int i, int level) { levels_[i] = static_cast<uint8_t>(level); }

 private:
  const int steps_;
  uint8_t levels_[16]{};
};

template <typename SubBlock>
class IndexSearch {
 public:
  explicit IndexSearch(RdBlock<SubBlock>& block) : block_(block) {
    for (int group = 0; group <= kRankGroupIntra; ++group) {
      const auto of_group = std::span(block.tables.least_cost).subspan(context::kRanks.first + group * kRankContexts);
      least_rank_cost_[group] = *std::ranges::min_element(of_group.first(kRankContexts));
    }
  }

  // Tries all indices with these end points. `cost`: of everything before the indices. `losses` are measured.
  void search(const RdEndPoints<SubBlock>& ends, LevelDistortion<SubBlock>& losses, int cost) {
    const Neighbours& neighbours = block_.neighbours;
    const bool full = SubBlock::full(block_.component.kind, ends.ends);
    const int context = indices_context(neighbours.left_state, neighbours.above_state, block_.intra, ends.largest > 1);
    const auto cost_with = [&](Indices mode) { return cost + block_.cost_of(context, static_cast<int>(mode)); };
    try_constant(ends, full, losses, cost_with(Indices::constant));
    if (!block_.intra)
      try_copy(ends, full, losses, Indices::reference, block_.prediction.nearest, cost_with(Indices::reference));
    if (neighbours.has_left) try_copy(ends, full, losses, Indices::left, neighbours.left, cost_with(Indices::left));
    if (neighbours.has_above) try_copy(ends, full, losses, Indices::above, neighbours.above, cost_with(Indices::above));
    if constexpr (SubBlock::kLevels > 4) {
      if (block_.component.follows_luma()) {
        try_copy(ends, full, losses, Indices::luma, block_.luma, cost_with(Indices::luma));
        const uint64_t mirrored = luma_indices(block_.luma, Indices::mirrored_luma) << SubBlock::kEndPointBits;
        try_copy(ends, full, losses, Indices::mirrored_luma, mirrored, cost_with(Indices::mirrored_luma));
      }
    }
    if (block_.is_worse(losses.least, cost + block_.least_cost(context))) return;
    losses.find_nearest();
    const int steps = SubBlock::steps(full);
    if (!block_.intra) {
      const CarryPositions places = carry_positions(block_.prediction.window, block_.component.kind, ends.ends);
      try_predicted(ends, full, losses, places.levels(steps), cost_with(Indices::predicted));
      for (int group = 0; group < kGroups; ++group) {
        const auto mode = static_cast<Indices>(static_cast<int>(Indices::near_0) + group);
        try_ranks(ends, full, losses, mode, group, cost_with(mode), CorrectedPrediction(places, steps));
      }
    }
    if (!block_.intra && !block_.prediction.is_poor) return;
    if constexpr (SubBlock::kLevels == 4) {
      try_levels(ends, full, losses, cost_with(Indices::intra));
    } else {
      try_texels(ends, full, losses, cost_with(Indices::texels));
      try_ranks(ends, full, losses, Indices::intra, kRankGroupIntra, cost_with(Indices::intra), IntraPrediction(steps));
    }
  }

 private:
  using EndPointsOf = RdEndPoints<SubBlock>;
  static constexpr int kRankContexts = context::kRanks.size / (kRankGroupIntra + 1);
  // Only the statistics of blocks that hardly differ: with a quantiser's least range there are few others.
  static constexpr int kGroups = 1;

  void take(const EndPointsOf& ends, Indices mode, uint64_t value, const uint8_t* ranks, int score) {
    RdChoice<SubBlock>& best = block_.best;
    best.score = score;
    best.kind = Kind::coded;
    best.value = value;
    best.ends = ends.mode;
    best.indices = mode;
    best.residual = ends.residual;
    best.largest = ends.largest;
    if (ranks != nullptr) std::copy_n(ranks, 16, best.ranks);
  }

  void try_constant(const EndPointsOf& ends, bool full, const LevelDistortion<SubBlock>& losses, int cost) {
    if (block_.is_worse(losses.least, cost + block_.least_cost(context::kLevel.first))) return;
    for (int level = 0; level < SubBlock::kLevels; ++level) {
      const int all = cost + block_.cost_of(context::kLevel.first, level);
      if (block_.is_worse(losses.least, all)) continue;
      const int score = block_.score_of(losses.sum_of_all(level), all);
      if (score >= block_.best.score) continue;
      Levels levels;
      levels.fill(static_cast<uint8_t>(level));
      take(ends, Indices::constant, with_levels<SubBlock>(ends.ends, levels, full), nullptr, score);
    }
  }
  // The index bits of another sub-block.
  void try_copy(const EndPointsOf& ends, bool full, const LevelDistortion<SubBlock>& losses, Indices mode, uint64_t of,
                int cost) {
    if (block_.is_worse(losses.least, cost)) return;
    const int score = block_.score_of(losses.sum(level_vector<SubBlock>(of, full)), cost);
    if (score >= block_.best.score) return;
    take(ends, mode, indices_of<SubBlock>(of) << SubBlock::kEndPointBits | ends.ends, nullptr, score);
  }
  void try_predicted(const EndPointsOf& ends, bool full, const LevelDistortion<SubBlock>& losses, U8x16 levels,
                     int cost) {
    if (block_.is_worse(losses.least, cost)) return;
    const int score = block_.score_of(losses.sum(levels), cost);
    if (score >= block_.best.score) return;
    const uint64_t indices = packed<SubBlock>(indices_of_levels<SubBlock>(levels, SubBlock::steps(full)));
    take(ends, Indices::predicted, indices << SubBlock::kEndPointBits | ends.ends, nullptr, score);
  }

  // Calls `call(rank, level, distortion)` with the levels of a texel that may be worth their bits: the predicted one,
  // the nearest to the source, and the one next to that towards the predicted one.
  template <typename Call>
  static __attribute__((always_inline)) void for_levels(const LevelDistortion<SubBlock>& losses, int i,
                                                        const PredictedLevel& predicted, bool full, const Call& call) {
    const int best = losses.nearest[i], least = losses.of_nearest(i);
    if (best == predicted.level) return call(0, best, least);
    const int distortion = losses.at(i, predicted.level);
    call(0, predicted.level, distortion);
    if (least >= distortion) return;
    const auto& ranks = kRankTable<SubBlock>.rank[full][predicted.level][predicted.beyond];
    call(ranks[best], best, least);
    const int between = best > predicted.level ? best - 1 : best + 1;
    if (best <= SubBlock::steps(full) && between != predicted.level)
      call(ranks[between], between, losses.at(i, between));
  }
  // Chooses the ranks of one pair of texels after the other: each is the best after the pairs before it.
  template <typename Prediction>
  void try_ranks(const EndPointsOf& ends, bool full, const LevelDistortion<SubBlock>& losses, Indices mode, int group,
                 int cost, Prediction prediction) {
    // Lower bounds of the remaining pairs' distortion and cost.
    int rest = losses.least, rest_cost = 8 * least_rank_cost_[group];
    if (block_.is_worse(rest, cost + rest_cost)) return;
    uint8_t ranks[16];
    Levels levels;
    int distortion = 0;
    const auto far = [&](int rank) {
      return SubBlock::kLevels > 4 && rank >= kPairLimit
                 ? block_.cost_of(context::kFarRank.first + group, rank - kPairLimit)
                 : 0;
    };
    for (int pair = 0; pair < 8; ++pair) {
      const int i = 2 * pair;
      const auto& costs = block_.tables.cost[rank_context(group, pair, ranks)];
      int least = kWorst, pair_cost = 0, pair_distortion = 0, best_rank_a = 0, best_level_a = 0, best_rank_b = 0,
          best_level_b = 0;
      for_levels(losses, i, prediction.at(i), full, [&](int rank_a, int level_a, int distortion_a) {
        prediction.put(i, level_a);
        const auto* const costs_of_a = costs.data() + 4 * std::min(rank_a, kPairLimit);
        const int far_a = far(rank_a);
        for_levels(losses, i + 1, prediction.at(i + 1), full, [&](int rank_b, int level_b, int distortion_b) {
          const int both_cost = costs_of_a[std::min(rank_b, kPairLimit)] + far_a + far(rank_b);
          const int both = distortion_a + distortion_b, score = block_.score_of(both, both_cost);
          if (score >= least) return;
          least = score;
          best_rank_a = rank_a;
          best_level_a = level_a;
          best_rank_b = rank_b;
          best_level_b = level_b;
          pair_cost = both_cost;
          pair_distortion = both;
        });
      });
      cost += pair_cost;
      distortion += pair_distortion;
      rest -= losses.of_nearest(i) + losses.of_nearest(i + 1);
      rest_cost -= least_rank_cost_[group];
      if (block_.is_worse(distortion + rest, cost + rest_cost)) return;
      prediction.put(i, best_level_a);
      prediction.put(i + 1, best_level_b);
      ranks[i] = static_cast<uint8_t>(best_rank_a);
      ranks[i + 1] = static_cast<uint8_t>(best_rank_b);
      levels[i] = static_cast<uint8_t>(best_level_a);
      levels[i + 1] = static_cast<uint8_t>(best_level_b);
    }
    take(ends, mode, with_levels<SubBlock>(ends.ends, levels, full), ranks, block_.score_of(distortion, cost));
  }
  // Indices::texels with the levels nearest to the source.
  void try_texels(const EndPointsOf& ends, bool full, const LevelDistortion<SubBlock>& losses, int cost) {
    for (int i = 0; i < 16; ++i) cost += block_.cost_of(direct_level_context(losses.nearest, i), losses.nearest[i]);
    if (!block_.is_worse(losses.least, cost))
      take(ends, Indices::texels, with_levels<SubBlock>(ends.ends, losses.nearest, full), nullptr,
           block_.score_of(losses.least, cost));
  }
  // Indices::intra of colours.
  void try_levels(const EndPointsOf& ends, bool full, const LevelDistortion<SubBlock>& losses, int cost) {
    Levels levels{};
    int distortion = 0;
    for (int pair = 0; pair < 8; ++pair) {
      const int context = level_pair_context(pair, levels.data()), i = 2 * pair;
      int least = kWorst, best = 0;
      for (int symbol = 0; symbol < 16; ++symbol) {
        const int score =
            block_.score_of(losses.at(i, symbol >> 2) + losses.at(i + 1, symbol & 3), block_.cost_of(context, symbol));
        if (score >= least) continue;
        least = score;
        best = symbol;
      }
      levels[i] = static_cast<uint8_t>(best >> 2);
      levels[i + 1] = static_cast<uint8_t>(best & 3);
      cost += block_.cost_of(context, best);
      distortion += losses.at(i, levels[i]) + losses.at(i + 1, levels[i + 1]);
    }
    if (!block_.is_worse(distortion, cost))
      take(ends, Indices::intra, with_levels<SubBlock>(ends.ends, levels, full), nullptr,
           block_.score_of(distortion, cost));
  }

  RdBlock<SubBlock>& block_;
  std::array<int, kRankGroupIntra + 1> least_rank_cost_{};  // of a pair, by group
};

}  // namespace texcast::compact
