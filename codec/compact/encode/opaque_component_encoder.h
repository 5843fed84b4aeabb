// opaque_component_encoder.h — encodes the opaque sub-blocks of one component of a lossless slice in coding order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "compact/coded_slice.h"
#include "compact/opaque_syntax.h"
#include "compact/prediction.h"
#include "compact/slice_syntax.h"
#include "compact/sub_block_index.h"
#include "compact/symbol_writer.h"
#include "least_cost.h"
#include "lossless_block.h"
#include "neighbours.h"
#include "reference.h"

namespace texcast::compact {

// Chooses how a sub-block that is not copied is coded.
class OpaqueSubBlockCoder {
 public:
  explicit OpaqueSubBlockCoder(const CodingTables& tables) : tables_(tables) {}

  // `predictors`: of the first three OpaqueSource; `is_available`: a bit for each of them. Returns the cost.
  int choose(uint64_t value, const std::array<uint64_t, 3>& predictors, uint32_t is_available, int context) {
    value_ = value;
    context_ = context;
    if (const int recent = recent_.find(value); recent >= 0) {
      source_ = static_cast<OpaqueSource>(static_cast<int>(OpaqueSource::recent) + recent);
      return cost_of_source();
    }
    source_ = OpaqueSource::nibbles;
    int least = cost_of_source();
    each_nibble([&](int nibble_context, int nibble) { least += tables_.cost[nibble_context][nibble]; });
    // The predictor with the fewest bytes that differ.
    int predictor = -1, fewest = 8;
    for (int p = 0; p < 3; ++p) {
      const int differing = std::popcount(mask_of(value ^ predictors[p]));
      if ((is_available >> p & 1) == 0 || differing >= fewest) continue;
      predictor = p;
      fewest = differing;
    }
    if (predictor < 0) return least;
    source_ = static_cast<OpaqueSource>(predictor);
    difference_ = value ^ predictors[predictor];
    int cost = cost_of_source();
    each_difference([&](int difference_context, int symbol) { cost += tables_.cost[difference_context][symbol]; });
    if (cost < least) return cost;
    source_ = OpaqueSource::nibbles;
    return least;
  }
  // Puts the symbols of the choice.
  NeighbourState put(SymbolSink& sink) {
    const auto put = [&](int context, int symbol) { sink.put(context, symbol); };
    put(context_, static_cast<int>(source_));
    if (source_ == OpaqueSource::nibbles)
      each_nibble(put);
    else if (source_ < OpaqueSource::nibbles)
      each_difference(put);
    recent_.push(value_);
    return neighbour_state(source_);
  }
  void push(uint64_t copied) { recent_.push(copied); }

 private:
  // A bit for each byte that is not 0.
  static uint32_t mask_of(uint64_t difference) {
    uint32_t mask = 0;
    for (int i = 0; i < 8; ++i) mask |= static_cast<uint32_t>((difference >> 8 * i & 255) != 0) << i;
    return mask;
  }
  int cost_of_source() const { return tables_.cost[context_][static_cast<int>(source_)]; }

  // Both call call(context, symbol) for each symbol after the source.
  template <typename Call>
  void each_nibble(const Call& call) const {
    int previous = static_cast<int>(value_ & 15);
    const int first_class = class_of_first_nibble(previous);
    call(context::kFirstNibble.first, previous);
    for (int i = 1; i < 16; ++i) {
      const int nibble = static_cast<int>(value_ >> 4 * i & 15);
      call(nibble_context(i, first_class, previous), nibble);
      previous = nibble;
    }
  }
  template <typename Call>
  void each_difference(const Call& call) const {
    const auto source = static_cast<int>(source_);
    const auto mask = static_cast<int>(mask_of(difference_));
    call(mask_low_context(source), mask & 15);
    call(mask_high_context(source, mask & 15), mask >> 4);
    for (int i = 0; i < 8; ++i) {
      if ((mask >> i & 1) == 0) continue;
      const int low = static_cast<int>(difference_ >> 8 * i & 15);
      call(difference_low_context(i), low);
      call(difference_high_context(i, low), static_cast<int>(difference_ >> (8 * i + 4) & 15));
    }
  }

  const CodingTables& tables_;
  RecentSubBlocks recent_;
  OpaqueSource source_{};
  int context_ = 0;
  uint64_t value_ = 0, difference_ = 0;
};

class OpaqueComponentEncoder {
 public:
  // `places`: where the reference frame has which sub-block of the component; nullptr: there are no hash copies.
  // `halves`: written by the first component, and read by the second one.
  OpaqueComponentEncoder(SymbolList& list, const CodingTables& tables, const TileGrid& grid, const Component& component,
                         const BlockRect& rect, const std::byte* texture, const Reference& reference,
                         const SubBlockIndex* places, FirstHalves& halves)
      : sink_(list, tables),
        tables_(tables),
        grid_(grid),
        component_(component),
        is_first_(&component == &grid.component(0)),
        rect_(rect),
        texture_(texture),
        vectors_(reference.vectors),
        referenced_(reference.touched),
        reference_(reference.texture, component),
        intra_(reference.texture == nullptr),
        places_(places),
        halves_(halves),
        coder_(tables) {}

  void encode() {
    const size_t pitch = component_.at(0, 1) - component_.at(0, 0);
    for (int y = rect_.y0; y < rect_.y1; ++y) {
      const std::byte* at = texture_ + component_.at(rect_.x0, y);
      Neighbours neighbours;
      neighbours.has_above = y > rect_.y0;
      for (int x = rect_.x0; x < rect_.x1; ++x, at += component_.stride) {
        NeighbourState& state = states_[x - rect_.x0];
        if (neighbours.has_above) neighbours.above = load_sub_block(at - pitch);
        neighbours.above_state = state;
        neighbours.left_state = state = encode(x, y, load_sub_block(at), neighbours);
        neighbours.has_left = true;
        neighbours.left = load_sub_block(at);
      }
    }
  }

 private:
  static constexpr int kLeastHashCost = 8 * 32;  // hardly any vector costs less

  bool is_at(int x, int y, uint64_t value) const { return reference_.has(x, y) && reference_.sub_block(x, y) == value; }

  NeighbourState encode(int x, int y, uint64_t value, const Neighbours& neighbours) {
    FirstHalves::Half& half = halves_.at(x - rect_.x0, y - rect_.y0);
    if (!is_first_ && is_hash_copy(half.kind)) hash_vector_ = half.hash_vector;
    const MotionVector vector =
        intra_ ? MotionVector{} : vectors_[partition_of(component_, x - rect_.x0, y - rect_.y0)];
    const int context =
        is_first_ ? kind_context(neighbours.left_state, neighbours.above_state, intra_, vector == MotionVector{})
                  : second_kind_context(half.kind, neighbours.left_state, neighbours.above_state);
    LeastCost<Kind> least;
    const auto offer = [&](bool is_possible, Kind kind, int more = 0) {
      least.offer(is_possible, kind, tables_.cost[context][static_cast<int>(kind)] + more);
    };
    const int bx = x + round_div4(vector.x), by = y + round_div4(vector.y);
    if (!intra_) {
      offer((vector.x | vector.y) % 4 == 0 && is_at(bx, by, value), Kind::motion_copy);
      offer(vector != MotionVector{} && is_at(x, y, value), Kind::co_located);
      offer(is_at(x + hash_vector_.x, y + hash_vector_.y, value), Kind::hash_copy_again);
    }
    offer(neighbours.has_left && neighbours.left == value, Kind::left);
    offer(neighbours.has_above && neighbours.above == value, Kind::above);
    MotionVector hash_vector;
    if (!least.any()) {
      if (places_ != nullptr) places_->prefetch(value);
      const uint32_t is_available =
          (intra_ ? 0u : 1u) | (neighbours.has_left ? 2u : 0u) | (neighbours.has_above ? 4u : 0u);
      offer(true, Kind::coded,
            coder_.choose(value, {intra_ ? kNoSubBlock : reference_.nearest(bx, by), neighbours.left, neighbours.above},
                          is_available, source_context(neighbours.left_state, neighbours.above_state, intra_)));
      if (!intra_ && places_ != nullptr &&
          least.cost() > tables_.cost[context][static_cast<int>(Kind::hash_copy)] + kLeastHashCost) {
        const auto cost = cheapest_hash_vector(*places_, reference_, tables_, value, x, y, hash_vector);
        offer(cost.has_value(), Kind::hash_copy, cost.value_or(0));
      }
    }
    const Kind kind = least.choice();
    sink_.make_room();
    sink_.put(context, static_cast<int>(kind));
    if (kind == Kind::hash_copy) {
      hash_vector_ = hash_vector;
      put_vector(sink_, true, hash_vector);
    }
    if (is_hash_copy(kind)) {
      coder_.push(value);
      if (referenced_ != nullptr) referenced_->add(grid_.tile_of(component_, x + hash_vector_.x, y + hash_vector_.y));
    }
    if (is_first_) half = {kind, hash_vector_};
    return kind == Kind::coded ? coder_.put(sink_) : neighbour_state(kind);
  }

  SymbolSink sink_;
  const CodingTables& tables_;
  const TileGrid& grid_;
  const Component& component_;
  const bool is_first_;
  const BlockRect rect_;
  const std::byte* const texture_;
  const std::span<const MotionVector> vectors_;
  ReferencedTiles* const referenced_;
  const ReferenceComponent reference_;
  const bool intra_;
  const SubBlockIndex* const places_;
  FirstHalves& halves_;
  OpaqueSubBlockCoder coder_;
  std::array<NeighbourState, kMostSliceColumns> states_{};
  MotionVector hash_vector_;  // of the latest hash copy, in blocks
};

}  // namespace texcast::compact
