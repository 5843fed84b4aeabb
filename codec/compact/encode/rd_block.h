// rd_block.h — the sub-block that rate-distortion optimisation (RDO) codes: its source, its prediction, its neighbours,
// and the best choice so far.
//
// A choice is scored by D + lambda R. The distortion D is a sum of squared differences of texels; the cost R is in 1/32
// bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "compact/adaptive_quantisation.h"
#include "compact/level_distortion.h"
#include "compact/lossy_prediction.h"
#include "compact/slice_syntax.h"
#include "compact/tables.h"
#include "compact/tile_grid.h"
#include "neighbours.h"

namespace texcast::compact {

inline constexpr int kWorst = std::numeric_limits<int>::max();  // as a score or a cost

// How a sub-block is coded, and its bytes then.
template <typename SubBlock>
struct RdChoice {
  int score = kWorst;
  Kind kind{};
  uint64_t value = 0;
  // Kind::coded only.
  EndPoints ends{};
  Indices indices{};
  std::array<int, SubBlock::kValues> residual{};
  int largest = 0;  // magnitude class of the residual
  uint8_t ranks[16]{};
};

// End points of a coded sub-block, and how they are coded.
template <typename SubBlock>
struct RdEndPoints {
  uint32_t ends = 0;
  EndPoints mode{};
  int largest = 0;
  std::array<int, SubBlock::kValues> residual{};
};

// From the reference frame, at the partition's vector.
template <typename SubBlock>
struct RdPrediction {
  uint64_t nearest = 0;  // the sub-block nearest to the vector
  BlockTexels<SubBlock> texels;
  PredictionBlock<SubBlock> window;  // of the texels
  bool is_poor = false;              // of so little help that intra indices are tried too
};

// The const members are the same for all sub-blocks of a component.
template <typename SubBlock>
struct RdBlock {
  const Component& component;
  const CodingTables& tables;
  const SearchEffort& effort;
  const bool intra;
  const int weight;       // of the component's distortion
  const int least_range;  // between fitted end points
  int lambda;             // the distortion that a bit is worth (RdParameters)
  uint64_t input = 0;     // from the block encoder
  BlockTexels<SubBlock> source{};
  uint64_t luma = 0;  // the first component's co-located sub-block, if the component follows luma
  Neighbours neighbours{};
  RdPrediction<SubBlock> prediction{};
  RecentEndPoints recent{};
  int kind_context = 0, ends_context = 0;
  RdChoice<SubBlock> best{};

  int score_of(int distortion, int cost) const {
    return distortion * weight + static_cast<int>(int64_t{lambda} * cost >> 5);
  }
  bool is_worse(int distortion, int cost) const { return score_of(distortion, cost) >= best.score; }
  // The largest cost of a choice that could still be the best, without any distortion.
  int most_cost() const {
    if (lambda == 0) return kWorst;
    return static_cast<int>(std::min<int64_t>((int64_t{best.score} * 32 - 1) / lambda, kWorst));
  }
  int cost_of(int context, int symbol) const { return tables.cost[context][symbol]; }
  int cost_of(Kind kind) const { return cost_of(kind_context, static_cast<int>(kind)); }
  int least_cost(int context) const { return tables.least_cost[context]; }
};

}  // namespace texcast::compact
