// component_decoder.h — decodes the sub-blocks of one component of a slice, in place in the texture.
#pragma once

#include <algorithm>
#include <array>

#include "coded_symbols.h"
#include "compact/copied_partitions.h"
#include "compact/lossy_prediction.h"
#include "compact/prediction_block.h"
#include "compact/slice_syntax.h"
#include "component_reads.h"
#include "lookup_reader.h"

namespace texcast::compact {

template <typename SubBlock, bool lossy>
class ComponentDecoder {
  using Reader = LookupReader<lossy>;
  static constexpr int kBlockBits = lossy ? 3 : 2;  // the bits of a vector below a whole block
  static bool is_whole_blocks(const MotionVector& v) { return ((v.x | v.y) & ((1 << kBlockBits) - 1)) == 0; }

 public:
  // `copied`: nullptr if the slice is lossless or intra. `coded` is set by the first component, and read by the others.
  ComponentDecoder(const SliceComponent& part, const Component& first, const SliceHeader& head,
                   const CopiedPartitions<SubBlock>* copied, const std::byte* reference, std::byte* texture,
                   CodedMask& coded, ReferenceReads* reads)
      : component_(part.component),
        first_(first),
        rect_(part.rect),
        head_(head),
        copied_(copied),
        reference_(reference, component_),
        intra_(reference == nullptr),
        is_first_(&part.component == &first),
        texture_(texture),
        coded_(coded),
        reads_(part, reads) {}

  // False: the symbols are not valid.
  TEXCAST_INLINE bool decode(Reader& shared) {
    Reader reader = shared;
    const int partition_columns = kPartitionSide / 4 / component_.across;
    const size_t pitch = static_cast<size_t>(component_.blocks_x) * component_.stride;
    for (int y = rect_.y0; y < rect_.y1; ++y) {
      std::byte* at = texture_ + component_.at(rect_.x0, y);
      uint64_t left = kNoSubBlock;
      NeighbourState left_state;
      int partition = partition_of(component_, 0, y - rect_.y0);
      for (int x = rect_.x0, end; x < rect_.x1; x = end, ++partition) {
        end = std::min(x + partition_columns, rect_.x1);
        const MotionVector vector = in_component(head_.vectors[partition], component_);  // lossy: in half texels
        if constexpr (lossy) {
          if (head_.copied[partition]) {
            record_pixels(x, end - 1, y, vector);
            for (int i = x; i < end; ++i) states_[i - rect_.x0] = {};
            at += static_cast<size_t>(end - x) * component_.stride;
            left = load_sub_block(at - component_.stride);
            left_state = {};
            continue;
          }
        }
        for (int i = x; i < end; ++i, at += component_.stride) {
          const uint64_t above = y > rect_.y0 ? load_sub_block(at - pitch) : kNoSubBlock;
          NeighbourState& state = states_[i - rect_.x0];  // of the sub-block above, until this one is decoded
          if (!sub_block(reader, i, y, vector, left_state, state, left, above)) return false;
          store_sub_block(at, left);
          left_state = state;
        }
      }
      if (reader.is_short()) return false;
    }
    shared = reader;
    return true;
  }

 private:
  // A coded sub-block while its symbols are read. Everything but the window stays in registers.
  struct Coded {
    int x, y;
    const MotionVector& vector;
    uint64_t reference, left, above;    // sub-blocks that end points and indices may be copied from
    PredictionBlock<SubBlock>& window;  // the prediction block, if has_window
    bool has_window;
  };

  // `value`: the left neighbour, then this sub-block.
  TEXCAST_INLINE bool sub_block(Reader& reader, int x, int y, const MotionVector& vector,
                                const NeighbourState& left_state, NeighbourState& state, uint64_t& value,
                                uint64_t above) {
    const bool is_zero = vector == MotionVector{};
    int context;
    if constexpr (lossy)
      context = lossy_kind_context(left_state, state, intra_, is_zero,
                                   !is_first_ && coded_.any(x - rect_.x0, y - rect_.y0, component_));
    else
      context = kind_context(left_state, state, intra_, is_zero);
    const int kind_symbol = reader.get(context);
    const auto kind = static_cast<Kind>(kind_symbol);
    if (kind == Kind::coded) return coded(reader, x, y, vector, left_state, state, value, above);
    switch (kind) {
      case Kind::motion_copy: {
        if (intra_) return false;
        const int bx = x + (vector.x >> kBlockBits), by = y + (vector.y >> kBlockBits);
        if (is_whole_blocks(vector) && reference_.has(bx, by)) {
          value = copy(bx, by);
          break;
        }
        if constexpr (!lossy) {
          return false;
        } else {
          record_pixels(x, x, y, vector);
          PredictionBlock<SubBlock> window;
          window.take(copied_->pixels_at(x - rect_.x0, y - rect_.y0));
          value = fitted_sub_block(window, component_.kind);
          break;
        }
      }
      case Kind::co_located:
        if (intra_) return false;
        value = copy(x, y);
        break;
      case Kind::left:
        if (x == rect_.x0) return false;
        break;
      case Kind::above:
        if (y == rect_.y0) return false;
        value = above;
        break;
      case Kind::hash_copy: hash_vector_ = reader.vector(true); [[fallthrough]];
      case Kind::hash_copy_again:
        if (intra_ || !reference_.has(x + hash_vector_.x, y + hash_vector_.y)) return false;
        value = copy(x + hash_vector_.x, y + hash_vector_.y);
        recent_.push(ends_of<SubBlock>(value));
        break;
      default: return false;
    }
    state = neighbour_state(kind);
    return true;
  }

  TEXCAST_INLINE uint64_t copy(int x, int y) {
    reads_.add(x, y, x, y);
    return reference_.sub_block(x, y);
  }
  // Records the blocks that have the pixels at `v` of sub-blocks [x0, x1] in a row.
  TEXCAST_INLINE void record_pixels(int x0, int x1, int y, const MotionVector& v) {
    const int vx = lossy ? v.x >> 1 : v.x, vy = lossy ? v.y >> 1 : v.y;
    const int more_x = lossy ? 3 + (v.x & 1) : 3, more_y = lossy ? 3 + (v.y & 1) : 3;
    reads_.add(x0 + (vx >> 2), y + (vy >> 2), x1 + ((vx + more_x) >> 2), y + ((vy + more_y) >> 2));
  }

  TEXCAST_INLINE void load(PredictionBlock<SubBlock>& window, int x, int y, const MotionVector& v) const {
    if constexpr (!lossy) {
      window.load(reference_, x * 4 + v.x, y * 4 + v.y);
    } else if (is_whole_blocks(v) && reference_.has(x + (v.x >> 3), y + (v.y >> 3))) {
      window.take(BlockTexels<SubBlock>(component_.kind, reference_.sub_block(x + (v.x >> 3), y + (v.y >> 3))).bytes());
    } else {
      window.take(copied_->pixels_at(x - rect_.x0, y - rect_.y0));
    }
  }

  TEXCAST_INLINE bool coded(Reader& reader, int x, int y, const MotionVector& vector, const NeighbourState& left_state,
                            NeighbourState& state, uint64_t& value, uint64_t above) {
    PredictionBlock<SubBlock> window;
    Coded block{x, y, vector, 0, value, above, window, false};
    if (!intra_) {
      const auto rounded = [](int v) { return lossy ? round_div8(v) : round_div4(v); };
      block.reference = reference_.nearest(x + rounded(vector.x), y + rounded(vector.y));
      record_pixels(x, x, y, vector);
    }
    const int ends_symbol = reader.get(end_points_context(left_state, state, intra_));
    uint32_t ends = 0;
    if (!predict_end_points(block, ends_symbol, ends)) return false;
    int largest = 0;
    if (has_residual(ends_symbol))
      largest = read_residual<SubBlock>(reader, ends_symbol - static_cast<int>(EndPoints::near_reference),
                                        std::max(left_state.residual, state.residual), ends);
    recent_.push(ends);

    const int indices_symbol = reader.get(indices_context(left_state, state, intra_, largest > 1));
    uint64_t indices = 0;
    if (!read_indices(reader, block, indices_symbol, ends, indices)) return false;
    state = neighbour_state(static_cast<EndPoints>(ends_symbol), static_cast<Indices>(indices_symbol), largest);
    if constexpr (lossy)
      if (is_first_) coded_.set(x - rect_.x0, y - rect_.y0);
    value = indices << SubBlock::kEndPointBits | ends;
    return true;
  }

  // The end points before a residual.
  TEXCAST_INLINE bool predict_end_points(Coded& block, int symbol, uint32_t& ends) const {
    switch (static_cast<EndPoints>(symbol)) {
      case EndPoints::reference:
      case EndPoints::near_reference: ends = ends_of<SubBlock>(block.reference); break;
      case EndPoints::left:
      case EndPoints::near_left: ends = ends_of<SubBlock>(block.left); break;
      case EndPoints::above:
      case EndPoints::near_above: ends = ends_of<SubBlock>(block.above); break;
      case EndPoints::fit:
        if (!lossy) return false;
        [[fallthrough]];
      case EndPoints::near_fit:
        if (intra_) return false;
        load(block.window, block.x, block.y, block.vector);
        block.has_window = true;
        ends = block.window.fitted();
        if constexpr (lossy) ends = widened_ends<SubBlock>(ends, least_range_);
        break;
      default: {
        const int place = symbol - static_cast<int>(EndPoints::recent);
        if (place >= kRecent) return false;
        ends = recent_[place] & static_cast<uint32_t>((uint64_t{1} << SubBlock::kEndPointBits) - 1);
      }
    }
    return true;
  }

  TEXCAST_INLINE bool read_indices(Reader& reader, Coded& block, int symbol, uint32_t ends, uint64_t& indices) {
    const bool full = SubBlock::full(component_.kind, ends);
    const auto mode = static_cast<Indices>(symbol);
    switch (mode) {
      case Indices::constant: {
        const int level = reader.get(context::kLevel.first);
        if (level >= SubBlock::kLevels) return false;
        Levels levels;
        levels.fill(static_cast<uint8_t>(level));
        indices = indices_of<SubBlock>(with_levels<SubBlock>(0, levels, full));
        return true;
      }
      case Indices::reference: indices = indices_of<SubBlock>(block.reference); return true;
      case Indices::left: indices = indices_of<SubBlock>(block.left); return true;
      case Indices::above: indices = indices_of<SubBlock>(block.above); return true;
      case Indices::intra: indices = read_intra_indices<SubBlock>(reader, full); return true;
      case Indices::predicted:
      case Indices::near_0:
      case Indices::near_1:
      case Indices::near_2:
      case Indices::near_3: {
        if (intra_) return false;
        if (!block.has_window) load(block.window, block.x, block.y, block.vector);
        indices = predicted_indices(reader, block.window, symbol, ends, full);
        return true;
      }
      case Indices::texels: {
        if (!lossy || SubBlock::kChannels > 1) return false;
        Levels levels{};
        if (!read_direct_levels(reader, levels)) return false;
        indices = indices_of<SubBlock>(with_levels<SubBlock>(0, levels, full));
        return true;
      }
      case Indices::luma:
      case Indices::mirrored_luma:
        if (!lossy || !component_.follows_luma()) return false;
        indices = luma_indices(load_sub_block(texture_ + first_.at(block.x, block.y)), mode);
        return true;
      default: return false;
    }
  }

  // Indices relative to the prediction block.
  TEXCAST_INLINE uint64_t predicted_indices(Reader& reader, const PredictionBlock<SubBlock>& window, int symbol,
                                            uint32_t ends, bool full) {
    const bool has_ranks = static_cast<Indices>(symbol) != Indices::predicted;
    const int group = symbol - static_cast<int>(Indices::near_0);
    uint8_t ranks[16] = {};
    if constexpr (lossy) {
      if (!has_ranks) return indices_of_nearest(window, component_.kind, ends);
      const CarryPositions places = carry_positions(window, component_.kind, ends);
      read_ranks<SubBlock>(reader, group, ranks);
      return indices_with_carry<SubBlock>(places, ranks, full);
    } else {
      const PositionCodes codes = window.position_codes(component_.kind, ends);
      if (has_ranks) read_ranks<SubBlock>(reader, group, ranks);
      uint64_t indices = 0;
      for (int i = 0; i < 16; ++i)
        indices |= static_cast<uint64_t>(kIndexTable<SubBlock>.at[full][codes[i]][ranks[i]])
                   << i * SubBlock::kIndexBits;
      return indices;
    }
  }

  const Component &component_, &first_;
  const BlockRect rect_;
  const SliceHeader& head_;
  const CopiedPartitions<SubBlock>* const copied_;
  const ReferenceComponent reference_;
  const bool intra_, is_first_;
  const int least_range_ = least_range_of(component_, head_.quantiser);
  std::byte* const texture_;
  CodedMask& coded_;
  ComponentReads reads_;
  std::array<NeighbourState, kMostSliceColumns>
      states_{};  // of the row above, and of this one up to the current column
  RecentEndPoints recent_;
  MotionVector hash_vector_;  // of the latest hash copy, in blocks
};

}  // namespace texcast::compact
