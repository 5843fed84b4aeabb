// rd_component_encoder.h — encodes the sub-blocks of one component of a lossy slice in coding order. Each decision is
// the best for its sub-block, given those before it.
#pragma once

#include <array>
#include <cstdint>

#include "compact/copied_partitions.h"
#include "compact/level_distortion.h"
#include "compact/prediction.h"
#include "compact/slice_syntax.h"
#include "compact/sub_block.h"
#include "rd_block.h"
#include "rd_end_points.h"
#include "rd_indices.h"
#include "rd_slice.h"
#include "rd_symbols.h"

namespace texcast::compact {

template <typename SubBlock>
class RdComponentEncoder {
 public:
  RdComponentEncoder(RdSlice& slice, int component, const BlockRect& rect, const CodingTables& tables,
                     SubBlockSymbols& symbols)
      : slice_(slice),
        component_(slice.grid.component(component)),
        number_(component),
        rect_(rect),
        reference_(slice.reference, component_),
        symbols_(symbols),
        block_{.component = component_,
               .tables = tables,
               .effort = slice.effort,
               .intra = slice.head.form.intra,
               .weight = weight_of(slice.grid, component),
               .least_range = least_range_of(component_, slice.head.quantiser),
               .lambda = slice.parameters.lambda} {}

  void encode() {
    if (!block_.intra) partitions_.load({component_, rect_, rect_}, slice_.head, slice_.reference, slice_.texture);
    for (int y = rect_.y0; y < rect_.y1; ++y)
      for (int x = rect_.x0; x < rect_.x1; ++x) {
        encode(x, y);
        symbols_.end_sub_block();
      }
  }

 private:
  void encode(int x, int y) {
    const int column = x - rect_.x0, row = y - rect_.y0;
    NeighbourState& state = states_[column];
    Neighbours& neighbours = block_.neighbours;
    neighbours.left_state = column > 0 ? states_[column - 1] : NeighbourState{};
    neighbours.above_state = state;
    neighbours.has_left = column > 0;
    neighbours.has_above = row > 0;
    std::byte* const at = slice_.texture + component_.at(x, y);
    block_.input = load_sub_block(at);
    load_source(x, y);
    neighbours.left = column > 0 ? load_sub_block(slice_.texture + component_.at(x - 1, y)) : kNoSubBlock;
    neighbours.above = row > 0 ? load_sub_block(slice_.texture + component_.at(x, y - 1)) : kNoSubBlock;
    if (component_.follows_luma()) block_.luma = load_sub_block(slice_.texture + slice_.grid.component(0).at(x, y));
    block_.best = {};

    int partition = 0;
    MotionVector v;
    if (!block_.intra) {
      partition = partition_of(component_, column, row);
      block_.lambda = slice_.parameters.lambda * slice_.lambda_weights[partition] / kFullLambda;
      v = in_component(slice_.head.vectors[partition], component_);
    }
    const bool is_zero = v == MotionVector{};
    block_.kind_context = lossy_kind_context(neighbours.left_state, neighbours.above_state, block_.intra, is_zero,
                                             !is_first() && slice_.coded.any(column, row, component_));
    block_.ends_context = end_points_context(neighbours.left_state, neighbours.above_state, block_.intra);
    if (!block_.intra) {
      try_motion_copy(x, y, v);
      if (!is_zero && !block_.is_worse(0, block_.cost_of(Kind::co_located))) {
        const uint64_t co_located = reference_.sub_block(x, y);
        try_copy(Kind::co_located, co_located, {component_.kind, co_located});
      }
    }
    if (neighbours.has_left) try_copy(Kind::left, neighbours.left, texels_[column - 1]);
    if (neighbours.has_above) try_copy(Kind::above, neighbours.above, texels_[column]);
    end_points_.search();
    take(partition, column, row, state);
    store_sub_block(at, block_.best.value);
  }

  // Puts the symbols of the best choice.
  void take(int partition, int column, int row, NeighbourState& state) {
    const RdChoice<SubBlock>& best = block_.best;
    if (best.kind == Kind::coded) {
      put_coded(symbols_, block_);
      block_.recent.push(ends_of<SubBlock>(best.value));
      state = neighbour_state(best.ends, best.indices, best.largest);
      texels_[column] = {component_.kind, best.value};
      if (is_first()) slice_.coded.set(column, row);
    } else {
      symbols_.put(block_.kind_context, static_cast<int>(best.kind));
      state = neighbour_state(best.kind);
      texels_[column] = copy_texels_;
    }
    if (best.kind != Kind::motion_copy) slice_.has_symbols[partition] = true;
  }

  bool is_first() const { return number_ == 0; }

  void load_source(int x, int y) {
    if constexpr (SubBlock::kChannels == 1) {
      if (!slice_.texels.empty()) {
        block_.source.texels = load_vector<U8x16>(slice_.texels[component_.at(x, y) / 8].data());
        return;
      }
    }
    block_.source = slice_.source == nullptr ? BlockTexels<SubBlock>(component_.kind, block_.input)
                                             : slice_.source->sub_block<SubBlock>(number_, x, y);
  }

  // Loads the prediction, and tries to take it as it is.
  void try_motion_copy(int x, int y, const MotionVector& v) {
    RdPrediction<SubBlock>& prediction = block_.prediction;
    const int column = x + (v.x >> 3), row = y + (v.y >> 3);
    prediction.nearest = reference_.nearest(x + round_div8(v.x), y + round_div8(v.y));
    if (v.x % 8 == 0 && v.y % 8 == 0 && reference_.has(column, row)) {
      const uint64_t value = reference_.sub_block(column, row);
      prediction.texels = {component_.kind, value};
      prediction.window.take(prediction.texels.bytes());
      return try_copy(Kind::motion_copy, value, prediction.texels);
    }
    prediction.texels.load(partitions_.pixels_at(x - rect_.x0, y - rect_.y0));
    prediction.window.take(prediction.texels.bytes());
    const uint64_t fitted = fitted_sub_block(prediction.window, component_.kind);
    try_copy(Kind::motion_copy, fitted, {component_.kind, fitted});
  }

  // `texels`: those that `value` decodes to.
  void try_copy(Kind kind, uint64_t value, const BlockTexels<SubBlock>& texels) {
    const int cost = block_.cost_of(kind);
    if (block_.is_worse(0, cost)) return;
    const int score = block_.score_of(squared_error_of(texels, block_.source), cost);
    if (score >= block_.best.score) return;
    block_.best.score = score;
    block_.best.kind = kind;
    block_.best.value = value;
    copy_texels_ = texels;
  }

  RdSlice& slice_;
  const Component& component_;
  const int number_;
  const BlockRect rect_;
  const ReferenceComponent reference_;
  SubBlockSymbols& symbols_;
  RdBlock<SubBlock> block_;
  IndexSearch<SubBlock> indices_{block_};
  EndPointSearch<SubBlock> end_points_{block_, indices_};
  std::array<NeighbourState, kMostSliceColumns> states_{};
  std::array<BlockTexels<SubBlock>, kMostSliceColumns> texels_{};  // of the latest sub-block in each column
  BlockTexels<SubBlock> copy_texels_;                              // of the best copy
  CopiedPartitions<SubBlock> partitions_;
};

}  // namespace texcast::compact
