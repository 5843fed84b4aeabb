// lossless_end_points.h — how the end points of a coded sub-block are coded in the fewest bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "compact/prediction_block.h"
#include "compact/slice_syntax.h"
#include "compact/symbol_writer.h"
#include "least_cost.h"
#include "lossless_block.h"

namespace texcast::compact {

// The distances of end points from each of four predictors: roughly proportional to the cost of the residual.
inline std::array<int, 4> distances(const std::array<int, ColorSubBlock::kValues>& values,
                                    const std::array<uint32_t, 4>& predictors) {
  const auto of_four = load_vector<U32x4>(predictors.data());
  constexpr int kShift[] = {11, 5, 0, 27, 21, 16};
  constexpr uint32_t kMask[] = {31, 63, 31, 31, 63, 31};
  I32x4 sum{};
  for (int i = 0; i < ColorSubBlock::kValues; ++i) {
    const I32x4 difference = reinterpret_cast<I32x4>(of_four >> kShift[i] & kMask[i]) - values[i];
    const I32x4 sign = difference >> 31;
    sum += (difference ^ sign) - sign - (difference != 0);
  }
  return {sum[0], sum[1], sum[2], sum[3]};
}
inline std::array<int, 4> distances(const std::array<int, ChannelSubBlock::kValues>& values,
                                    const std::array<uint32_t, 4>& predictors) {
  std::array<int, 4> sum{};
  for (int p = 0; p < 4; ++p) {
    const auto predictor = ChannelSubBlock::values(predictors[p]);
    for (int i = 0; i < ChannelSubBlock::kValues; ++i)
      sum[p] += std::abs(values[i] - predictor[i]) + (values[i] != predictor[i] ? 1 : 0);
  }
  return sum;
}
inline constexpr int kDistanceCost = 24;  // of a step, or of a value that differs

// A residual as symbols in coding order, with their contexts.
template <typename SubBlock>
struct CodedResidual {
  std::array<int, SubBlock::kValues> context, symbol;
  std::array<uint32_t, SubBlock::kValues> folded;
  int largest = 0;  // magnitude class
  int cost = 0;
};
template <typename SubBlock>
CodedResidual<SubBlock> coded_residual(const CodingTables& tables, EndPoints mode,
                                       const std::array<int, SubBlock::kValues>& values,
                                       const std::array<int, SubBlock::kValues>& predictor, int neighbours) {
  CodedResidual<SubBlock> out;
  std::array<int, SubBlock::kValues> known{};
  for (int step = 0; step < SubBlock::kValues; ++step) {
    const int i = kOrder<SubBlock>[step];
    const int context = residual_context<SubBlock>(mode, step, known, neighbours);
    known[i] = values[i] - predictor[i];
    out.context[step] = context;
    out.folded[step] = fold(known[i]);
    out.symbol[step] = kResidualSymbols.of[out.folded[step]];
    out.cost += tables.cost[context][out.symbol[step]] + kEscapeCost[out.symbol[step]];
    out.largest = std::max(out.largest, magnitude_class(known[i]));
  }
  return out;
}

template <typename SubBlock>
class LosslessEndPoints {
 public:
  // Chooses for `block`. Returns the cost.
  int choose(const LosslessBlock<SubBlock>& block) {
    const uint32_t ends = ends_of<SubBlock>(block.value);
    const Neighbours& neighbours = block.neighbours;
    context_ = end_points_context(neighbours.left_state, neighbours.above_state, block.intra);
    LeastCost<EndPoints> least;
    const auto offer = [&](bool is_possible, EndPoints mode, int more = 0) {
      least.offer(is_possible, mode, block.cost_of(context_, static_cast<int>(mode)) + more);
    };
    offer(!block.intra && ends_of<SubBlock>(block.nearest) == ends, EndPoints::reference);
    offer(neighbours.has_left && ends_of<SubBlock>(neighbours.left) == ends, EndPoints::left);
    offer(neighbours.has_above && ends_of<SubBlock>(neighbours.above) == ends, EndPoints::above);
    for (int i = 0; i < kRecent; ++i)
      offer(block.recent[i] == ends, static_cast<EndPoints>(static_cast<int>(EndPoints::recent) + i));
    int cost = least.cost();
    largest_ = 0;
    if (!least.any()) {
      // A residual to the predictor that is roughly the cheapest.
      const std::array<uint32_t, 4> predictors{ends_of<SubBlock>(block.nearest), ends_of<SubBlock>(neighbours.left),
                                               ends_of<SubBlock>(neighbours.above),
                                               block.intra ? 0 : block.window.fitted()};
      const auto values = SubBlock::values(ends);
      const auto distance = distances(values, predictors);
      const auto predict = [&](bool is_possible, EndPoints mode, int p) {
        offer(is_possible, mode, kDistanceCost * distance[p]);
      };
      predict(!block.intra, EndPoints::near_reference, 0);
      predict(neighbours.has_left || block.intra, EndPoints::near_left, 1);
      predict(neighbours.has_above, EndPoints::near_above, 2);
      predict(!block.intra, EndPoints::near_fit, 3);
      const int p = static_cast<int>(least.choice()) - static_cast<int>(EndPoints::near_reference);
      residual_ = coded_residual<SubBlock>(block.tables, least.choice(), values, SubBlock::values(predictors[p]),
                                           neighbours.largest());
      cost = block.cost_of(context_, static_cast<int>(least.choice())) + residual_.cost;
      largest_ = residual_.largest;
    }
    mode_ = least.choice();
    return cost;
  }
  EndPoints mode() const { return mode_; }
  // The magnitude class of the residual.
  int largest() const { return largest_; }

  void put(SymbolSink& sink) const {
    sink.put(context_, static_cast<int>(mode_));
    if (!has_residual(static_cast<int>(mode_))) return;
    for (int step = 0; step < SubBlock::kValues; ++step) {
      const uint32_t folded = residual_.folded[step];
      const int symbol = residual_.symbol[step];
      sink.put(residual_.context[step], symbol);
      if (const int escape = symbol - static_cast<int>(kDirect); escape >= 0)
        sink.bits(folded - kEscapeFirst[escape], kEscapeBits[escape]);
    }
  }

 private:
  int context_ = 0;
  EndPoints mode_{};
  int largest_ = 0;
  CodedResidual<SubBlock> residual_{};
};

}  // namespace texcast::compact
