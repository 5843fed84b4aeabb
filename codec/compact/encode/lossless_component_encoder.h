// lossless_component_encoder.h — encodes the sub-blocks of one component of a lossless slice in coding order, each in
// the fewest bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "compact/coded_slice.h"
#include "compact/prediction.h"
#include "compact/slice_syntax.h"
#include "compact/sub_block_index.h"
#include "compact/symbol_writer.h"
#include "least_cost.h"
#include "lossless_block.h"
#include "lossless_end_points.h"
#include "lossless_indices.h"
#include "reference.h"

namespace texcast::compact {

template <typename SubBlock>
class LosslessComponentEncoder {
 public:
  // `places`: where the reference frame has which sub-block of the component; nullptr: there are no hash copies.
  LosslessComponentEncoder(SymbolList& list, const CodingTables& tables, const TileGrid& grid,
                           const Component& component, const BlockRect& rect, const std::byte* texture,
                           const Reference& reference, const SubBlockIndex* places)
      : sink_(list, tables),
        grid_(grid),
        component_(component),
        rect_(rect),
        texture_(texture),
        referenced_(reference.touched),
        reference_(reference.texture, component),
        places_(places),
        block_{.kind = component.kind, .tables = tables, .intra = reference.texture == nullptr} {
    if (!block_.intra) load_partitions(reference.vectors);
  }

  void encode() {
    Neighbours& neighbours = block_.neighbours;
    const size_t pitch = component_.at(0, 1) - component_.at(0, 0);
    for (int y = rect_.y0; y < rect_.y1; ++y) {
      const std::byte* at = texture_ + component_.at(rect_.x0, y);
      neighbours = {};
      neighbours.has_above = y > rect_.y0;
      for (int x = rect_.x0; x < rect_.x1; ++x, at += component_.stride) {
        NeighbourState& state = states_[x - rect_.x0];
        block_.value = load_sub_block(at);
        if (neighbours.has_above) neighbours.above = load_sub_block(at - pitch);
        neighbours.above_state = state;
        state = encode(x, y);
        neighbours.has_left = true;
        neighbours.left = block_.value;
        neighbours.left_state = state;
      }
    }
  }

 private:
  static constexpr int kLeastHashCost = 8 * 32;  // hardly any vector costs less

  // A partition's vector in this component.
  struct PartitionMotion {
    MotionVector vector{};   // in texels
    MotionVector blocks{};   // the nearest in blocks
    bool in_blocks = false;  // both are the same
    bool is_zero = true;
  };
  void load_partitions(std::span<const MotionVector> vectors) {
    for (size_t i = 0; i < partitions_.size() && i < vectors.size(); ++i) {
      const MotionVector v = in_component(vectors[i], component_);
      partitions_[i] = {v, {round_div4(v.x), round_div4(v.y)}, v.x % 4 == 0 && v.y % 4 == 0, v == MotionVector{}};
    }
  }
  const PartitionMotion& partition_of(int x, int y) const {
    constexpr int kShift = 2;  // blocks of a partition
    return partitions_[((y - rect_.y0) >> (kShift + 1 - component_.down)) * (kTileWidth / kPartitionSide) +
                       ((x - rect_.x0) >> (kShift + 1 - component_.across))];
  }

  NeighbourState encode(int x, int y) {
    const Neighbours& neighbours = block_.neighbours;
    const PartitionMotion& partition = partition_of(x, y);
    const int context = kind_context(neighbours.left_state, neighbours.above_state, block_.intra, partition.is_zero);
    const auto cost_of = [&](Kind kind) { return block_.cost_of(context, static_cast<int>(kind)); };
    LeastCost<Kind> least;
    const auto offer = [&](bool is_possible, Kind kind, int more = 0) {
      least.offer(is_possible, kind, cost_of(kind) + more);
    };
    if (!block_.intra) {
      const int bx = x + partition.blocks.x, by = y + partition.blocks.y;
      block_.nearest = reference_.nearest(bx, by);
      const bool is_motion_copy = partition.in_blocks && reference_.has(bx, by) && block_.nearest == block_.value;
      // Most sub-blocks that move are motion copies, which then hardly ever cost more than other copies.
      if (is_motion_copy &&
          cost_of(Kind::motion_copy) <= std::min({cost_of(Kind::co_located), cost_of(Kind::hash_copy_again),
                                                  cost_of(Kind::left), cost_of(Kind::above)})) {
        sink_.make_room();
        sink_.put(context, static_cast<int>(Kind::motion_copy));
        return neighbour_state(Kind::motion_copy);
      }
      offer(is_motion_copy, Kind::motion_copy);
      offer(!partition.is_zero && reference_.sub_block(x, y) == block_.value, Kind::co_located);
      offer(is_at(x + hash_vector_.x, y + hash_vector_.y), Kind::hash_copy_again);
    }
    offer(neighbours.has_left && neighbours.left == block_.value, Kind::left);
    offer(neighbours.has_above && neighbours.above == block_.value, Kind::above);
    MotionVector hash_vector;
    if (!least.any()) {
      if (places_ != nullptr) places_->prefetch(block_.value);
      offer(true, Kind::coded, choose_coded(x, y, partition.vector));
      if (!block_.intra && places_ != nullptr && least.cost() > cost_of(Kind::hash_copy) + kLeastHashCost) {
        const auto cost = cheapest_hash_vector(*places_, reference_, block_.tables, block_.value, x, y, hash_vector);
        offer(cost.has_value(), Kind::hash_copy, cost.value_or(0));
      }
    }
    sink_.make_room();
    sink_.put(context, static_cast<int>(least.choice()));
    return put(least.choice(), x, y, hash_vector);
  }

  // Puts the symbols after the kind.
  NeighbourState put(Kind kind, int x, int y, const MotionVector& hash_vector) {
    if (kind == Kind::coded) {
      end_points_.put(sink_);
      block_.recent.push(ends_of<SubBlock>(block_.value));
      indices_.put(sink_);
      return neighbour_state(end_points_.mode(), indices_.mode(), end_points_.largest());
    }
    if (kind == Kind::hash_copy) {
      hash_vector_ = hash_vector;
      put_vector(sink_, true, hash_vector);
    }
    if (kind == Kind::hash_copy || kind == Kind::hash_copy_again) {
      block_.recent.push(ends_of<SubBlock>(block_.value));
      if (referenced_ != nullptr) referenced_->add(grid_.tile_of(component_, x + hash_vector_.x, y + hash_vector_.y));
    }
    return neighbour_state(kind);
  }

  bool is_at(int x, int y) const { return reference_.has(x, y) && reference_.sub_block(x, y) == block_.value; }

  // Chooses end points and indices. Returns their cost.
  int choose_coded(int x, int y, const MotionVector& vector) {
    if (!block_.intra) block_.window.load(reference_, x * 4 + vector.x, y * 4 + vector.y);
    const int cost = end_points_.choose(block_);
    return cost + indices_.choose(block_, end_points_.largest());
  }

  SymbolSink sink_;
  const TileGrid& grid_;
  const Component& component_;
  const BlockRect rect_;
  const std::byte* const texture_;
  ReferencedTiles* const referenced_;
  const ReferenceComponent reference_;
  const SubBlockIndex* const places_;
  LosslessBlock<SubBlock> block_;
  LosslessEndPoints<SubBlock> end_points_;
  LosslessIndices<SubBlock> indices_;
  std::array<PartitionMotion, kMostPartitions> partitions_{};
  std::array<NeighbourState, kMostSliceColumns> states_{};
  MotionVector hash_vector_;  // of the latest hash copy, in blocks
};

}  // namespace texcast::compact
