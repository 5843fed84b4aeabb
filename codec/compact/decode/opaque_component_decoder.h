// opaque_component_decoder.h — decodes the opaque sub-blocks of one component of a lossless slice, in place in the
// texture.
#pragma once

#include <array>
#include <cstdint>

#include "compact/opaque_syntax.h"
#include "compact/prediction.h"
#include "compact/slice_syntax.h"
#include "component_reads.h"
#include "lookup_reader.h"

namespace texcast::compact {

class OpaqueComponentDecoder {
  using Reader = LookupReader<false>;

 public:
  // `halves`: written by the first component, and read by the second one.
  OpaqueComponentDecoder(const SliceComponent& part, const Component& first, const SliceHeader& head,
                         const std::byte* reference, std::byte* texture, FirstHalves& halves, ReferenceReads* reads)
      : component_(part.component),
        rect_(part.rect),
        head_(head),
        reference_(reference, component_),
        intra_(reference == nullptr),
        is_first_(&part.component == &first),
        texture_(texture),
        halves_(halves),
        reads_(part, reads) {}

  // False: the symbols are not valid.
  TEXCAST_INLINE bool decode(Reader& shared) {
    Reader reader = shared;
    const size_t pitch = static_cast<size_t>(component_.blocks_x) * component_.stride;
    for (int y = rect_.y0; y < rect_.y1; ++y) {
      std::byte* at = texture_ + component_.at(rect_.x0, y);
      uint64_t left = kNoSubBlock;
      NeighbourState left_state;
      for (int x = rect_.x0; x < rect_.x1; ++x, at += component_.stride) {
        const uint64_t above = y > rect_.y0 ? load_sub_block(at - pitch) : kNoSubBlock;
        NeighbourState& state = states_[x - rect_.x0];  // of the sub-block above, until this one is decoded
        if (!sub_block(reader, x, y, left_state, state, left, above)) return false;
        store_sub_block(at, left);
        left_state = state;
      }
      if (reader.is_short()) return false;
    }
    shared = reader;
    return true;
  }

 private:
  // `value`: the left neighbour, then this sub-block.
  TEXCAST_INLINE bool sub_block(Reader& reader, int x, int y, const NeighbourState& left_state, NeighbourState& state,
                                uint64_t& value, uint64_t above) {
    FirstHalves::Half& half = halves_.at(x - rect_.x0, y - rect_.y0);
    if (!is_first_ && is_hash_copy(half.kind)) hash_vector_ = half.hash_vector;
    const MotionVector& vector = head_.vectors[partition_of(component_, x - rect_.x0, y - rect_.y0)];
    const auto kind =
        static_cast<Kind>(reader.get(is_first_ ? kind_context(left_state, state, intra_, vector == MotionVector{})
                                               : second_kind_context(half.kind, left_state, state)));
    switch (kind) {
      case Kind::motion_copy: {
        const int bx = x + (vector.x >> 2), by = y + (vector.y >> 2);
        if (intra_ || ((vector.x | vector.y) & 3) != 0 || !reference_.has(bx, by)) return false;
        value = copy(bx, by);
        break;
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
        recent_.push(value);
        break;
      case Kind::coded: break;
      default: return false;
    }
    if (is_first_) half = {kind, hash_vector_};
    if (kind != Kind::coded) {
      state = neighbour_state(kind);
      return true;
    }
    uint64_t nearest = kNoSubBlock;
    if (!intra_) nearest = copy_nearest(x + round_div4(vector.x), y + round_div4(vector.y));
    const int source = reader.get(source_context(left_state, state, intra_));
    value = coded(reader, source, {nearest, value, above});
    recent_.push(value);
    state = neighbour_state(static_cast<OpaqueSource>(source));
    return true;
  }

  TEXCAST_INLINE uint64_t copy(int x, int y) {
    reads_.add(x, y, x, y);
    return reference_.sub_block(x, y);
  }
  // Outside the plane, the nearest sub-block.
  TEXCAST_INLINE uint64_t copy_nearest(int x, int y) {
    reads_.add(x, y, x, y);
    return reference_.nearest(x, y);
  }

  TEXCAST_INLINE uint64_t coded(Reader& reader, int source, const std::array<uint64_t, 3>& predictors) const {
    if (source >= static_cast<int>(OpaqueSource::recent))
      return recent_[source - static_cast<int>(OpaqueSource::recent)];
    if (source == static_cast<int>(OpaqueSource::nibbles)) return nibbles(reader);
    const int low = reader.get(mask_low_context(source));
    const int mask = low | reader.get(mask_high_context(source, low)) << 4;
    uint64_t difference = 0;
    for (int i = 0; i < 8; ++i) {
      if ((mask >> i & 1) == 0) continue;
      const int low_nibble = reader.get(difference_low_context(i));
      const int high_nibble = reader.get(difference_high_context(i, low_nibble));
      difference |= static_cast<uint64_t>(low_nibble | high_nibble << 4) << 8 * i;
    }
    return predictors[static_cast<size_t>(source)] ^ difference;
  }

  TEXCAST_INLINE static uint64_t nibbles(Reader& reader) {
    int nibble = reader.get(context::kFirstNibble.first);
    const int first_class = class_of_first_nibble(nibble);
    auto value = static_cast<uint64_t>(nibble);
    for (int i = 1; i < 16; ++i) {
      nibble = reader.get(nibble_context(i, first_class, nibble));
      value |= static_cast<uint64_t>(nibble) << 4 * i;
    }
    return value;
  }

  const Component& component_;
  const BlockRect rect_;
  const SliceHeader& head_;
  const ReferenceComponent reference_;
  const bool intra_, is_first_;
  std::byte* const texture_;
  FirstHalves& halves_;
  ComponentReads reads_;
  std::array<NeighbourState, kMostSliceColumns> states_{};  // of the row above, and of this one up to the column
  RecentSubBlocks recent_;
  MotionVector hash_vector_;  // of the latest hash copy, in blocks
};

}  // namespace texcast::compact
