// lossless_indices.h — how the indices of a coded sub-block are coded in the fewest bits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compact/prediction_block.h"
#include "compact/ranks.h"
#include "compact/slice_syntax.h"
#include "least_cost.h"
#include "lossless_block.h"

namespace texcast::compact {

inline constexpr int kCheapIndices = 3 * 32;  // hardly any others cost less

template <typename SubBlock>
class LosslessIndices {
 public:
  // Chooses for `block`. `largest`: the magnitude class of its residual. Returns the cost.
  int choose(const LosslessBlock<SubBlock>& block, int largest) {
    const uint32_t ends = ends_of<SubBlock>(block.value);
    const bool full = SubBlock::full(block.kind, ends);
    const Neighbours& neighbours = block.neighbours;
    context_ = indices_context(neighbours.left_state, neighbours.above_state, block.intra, largest > 1);
    LeastCost<Indices> least;
    const auto offer = [&](bool is_possible, Indices mode, int more = 0) {
      least.offer(is_possible, mode, block.cost_of(context_, static_cast<int>(mode)) + more);
    };
    const uint64_t indices = indices_of<SubBlock>(block.value);
    const U8x16 levels = level_vector<SubBlock>(block.value, full);
    store_vector(levels_.data(), levels);
    constexpr uint64_t kEvery = SubBlock::kLevels == 4 ? 0x55555555 : 0x249249249249;  // 1 in each
    offer(indices == (indices & (SubBlock::kLevels - 1)) * kEvery, Indices::constant,
          block.cost_of(context::kLevel.first, levels_[0]));
    offer(!block.intra && indices_of<SubBlock>(block.nearest) == indices, Indices::reference);
    offer(neighbours.has_left && indices_of<SubBlock>(neighbours.left) == indices, Indices::left);
    offer(neighbours.has_above && indices_of<SubBlock>(neighbours.above) == indices, Indices::above);
    int far = 16;  // texels that have another level than the predicted one
    U8x16 ranks{};
    if (!block.intra) {
      ranks =
          rank_vector<SubBlock>(load_vector<U8x16>(block.window.position_codes(block.kind, ends).data()), levels, full);
      far = __builtin_popcount(mask_from(ranks, filled(1)));
      offer(far == 0, Indices::predicted);
    }
    mode_ = least.choice();
    if (least.cost() < kCheapIndices) return least.cost();
    if (!block.intra) {
      const U32x4 costs = costs_of_ranks(block.tables, ranks);
      for (int group = 0; group < 4; ++group)
        offer(true, static_cast<Indices>(static_cast<int>(Indices::near_0) + group), static_cast<int>(costs[group]));
    }
    if (far > 3) offer(true, Indices::intra, cost_of_intra(block.tables, levels, full));
    mode_ = least.choice();
    return least.cost();
  }
  Indices mode() const { return mode_; }

  void put(SymbolSink& sink) const {
    sink.put(context_, static_cast<int>(mode_));
    if (mode_ == Indices::constant) sink.put(context::kLevel.first, levels_[0]);
    if (is_near(static_cast<int>(mode_)))
      put_ranks(sink, static_cast<int>(mode_) - static_cast<int>(Indices::near_0), pairs_, ranks_);
    if (mode_ == Indices::intra) {
      if constexpr (SubBlock::kLevels > 4)
        put_ranks(sink, kRankGroupIntra, intra_pairs_, intra_ranks_);
      else
        put_pairs(sink, context::kLevels.first, intra_pairs_);
    }
  }

 private:
  // With the statistics of each group.
  U32x4 costs_of_ranks(const CodingTables& tables, U8x16 ranks) {
    pairs_ = pairs_of_ranks(ranks);
    store_vector(ranks_, ranks);
    U32x4 sums{};
    for (int pair = 0; pair < 8; ++pair) {
      const auto& costs = tables.rank_cost[pairs_.context[pair]][pairs_.symbol[pair]];
      sums += load_vector<U32x4>(costs.data());
    }
    for_each_far(ranks, [&](int i) { sums += load_vector<U32x4>(tables.far_cost[ranks_[i] - kPairLimit].data()); });
    return sums;
  }
  int cost_of_intra(const CodingTables& tables, U8x16 levels, bool full) {
    int first = context::kLevels.first, cost = 0;
    if constexpr (SubBlock::kLevels > 4) {
      const U8x16 guessed = predicted_intra_levels(levels, SubBlock::steps(full));
      const U8x16 ranks = rank_vector<SubBlock>((guessed << 1) + 1, levels, full);
      store_vector(intra_ranks_, ranks);
      intra_pairs_ = pairs_of_ranks(ranks);
      first = context::kRanks.first + kRankGroupIntra * 40;
      const auto& costs = tables.cost[context::kFarRank.first + kRankGroupIntra];
      for_each_far(ranks, [&](int i) { cost += costs[intra_ranks_[i] - kPairLimit]; });
    } else {
      intra_pairs_ = pairs_of_levels(levels);
    }
    for (int pair = 0; pair < 8; ++pair)
      cost += tables.cost[first + intra_pairs_.context[pair]][intra_pairs_.symbol[pair]];
    return cost;
  }
  // Calls `call(i)` for texels whose ranks need a symbol of their own.
  template <typename Call>
  static void for_each_far(U8x16 ranks, const Call& call) {
    if constexpr (SubBlock::kLevels > 4) for_each_bit(mask_from(ranks, filled(kPairLimit)), call);
  }

  static void put_pairs(SymbolSink& sink, int first, const Pairs& pairs) {
    for (int pair = 0; pair < 8; ++pair) sink.put(first + pairs.context[pair], pairs.symbol[pair]);
  }
  static void put_ranks(SymbolSink& sink, int group, const Pairs& pairs, const uint8_t* ranks) {
    const int first = context::kRanks.first + group * 40;
    if constexpr (SubBlock::kLevels == 4) {
      put_pairs(sink, first, pairs);
    } else {
      for (int pair = 0; pair < 8; ++pair) {
        sink.put(first + pairs.context[pair], pairs.symbol[pair]);
        for (const int i : {2 * pair, 2 * pair + 1})
          if (ranks[i] >= kPairLimit) sink.put(context::kFarRank.first + group, ranks[i] - kPairLimit);
      }
    }
  }

  int context_ = 0;
  Indices mode_{};
  Levels levels_{};
  uint8_t ranks_[16]{}, intra_ranks_[16]{};
  Pairs pairs_, intra_pairs_;  // of ranks_ and intra_ranks_
};

}  // namespace texcast::compact
