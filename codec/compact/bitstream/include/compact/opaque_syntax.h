// opaque_syntax.h — the symbols of opaque sub-blocks, whose fields the codec does not interpret, and their contexts.
//
// A coded sub-block is one that the component had recently, or the difference (exclusive or) from a predictor, or its
// 16 nibbles. Lossless slices only.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "compact/contexts.h"
#include "compact/motion_vector.h"
#include "compact/slice_syntax.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// The source of a coded sub-block.
enum class OpaqueSource : uint8_t {
  reference,  // the difference from the sub-block of the reference frame at the vector
  left,       // … from the left neighbour
  above,      // … from the upper neighbour
  nibbles,    // none
  recent,     // this and all later ones: one of the component's recent sub-blocks
};
inline constexpr int kRecentSubBlocks = kSymbols - static_cast<int>(OpaqueSource::recent);

namespace context {

// The table sets of opaque components use these in place of the contexts between kKind and kLiteral …
inline constexpr Group kSource{kEndPoints.first, 2 * 16};
inline constexpr Group kMaskLow{kSource.end(), 3};
inline constexpr Group kMaskHigh{kMaskLow.end(), 3 * 16};
inline constexpr Group kDifferenceLow{kMaskHigh.end(), 8};
inline constexpr Group kDifferenceHigh{kDifferenceLow.end(), 8 * 16};
inline constexpr Group kFirstNibble{kDifferenceHigh.end(), 1};
inline constexpr Group kNibble{kFirstNibble.end(), 5 * 15 * 16};
static_assert(kNibble.end() <= kLiteral.first);
// … and this in place of the contexts of lossy slices.
inline constexpr Group kSecondKind{kLosslessCount, 7 * 16};
static_assert(kSecondKind.end() <= kCount);

}  // namespace context

inline int source_context(const NeighbourState& left, const NeighbourState& above, bool intra) {
  return context::kSource.first + (intra ? 16 : 0) + left.end_points * 4 + above.end_points;
}
// Which bytes differ: a symbol for bytes 0 to 3, and one for bytes 4 to 7. `source` is at most OpaqueSource::above.
inline int mask_low_context(int source) { return context::kMaskLow.first + source; }
inline int mask_high_context(int source, int low) { return context::kMaskHigh.first + source * 16 + low; }
// The two nibbles of a byte that differs.
inline int difference_low_context(int byte) { return context::kDifferenceLow.first + byte; }
inline int difference_high_context(int byte, int low) { return context::kDifferenceHigh.first + byte * 16 + low; }
// The lowest bits of most block codings say how the others are divided: the number of zeros below the lowest one.
inline int class_of_first_nibble(int nibble) {
  return nibble == 0 ? 4 : std::countr_zero(static_cast<uint32_t>(nibble));
}
// Nibble i, 1 to 15. `first_class` is that of nibble 0, `previous` is nibble i - 1.
inline int nibble_context(int i, int first_class, int previous) {
  return context::kNibble.first + (first_class * 15 + i - 1) * 16 + previous;
}
// The kind of a sub-block in the second component, by that of the other half of the block.
inline int second_kind_context(Kind first, const NeighbourState& left, const NeighbourState& above) {
  return context::kSecondKind.first + static_cast<int>(first) * 16 + left.kind * 4 + above.kind;
}

// NeighbourState::kind is 2 for recent sub-blocks, and 3 for others that are coded; end_points is 1 for differences, 2
// for nibbles, and 3 for recent sub-blocks.
inline NeighbourState neighbour_state(OpaqueSource source) {
  if (source >= OpaqueSource::recent) return {.kind = 2, .end_points = 3};
  return {.kind = 3, .end_points = static_cast<uint8_t>(source == OpaqueSource::nibbles ? 2 : 1)};
}

// Coded and hash-copied sub-blocks; zeros at the beginning.
using RecentSubBlocks = RecentValues<uint64_t, kRecentSubBlocks>;

// How the sub-blocks of the first component are coded. Those of the second one, the other halves of the same blocks,
// are mostly coded in the same way.
class FirstHalves {
 public:
  struct Half {
    Kind kind{};
    MotionVector hash_vector{};  // of a hash copy, in blocks
  };
  // The column and row count from the slice's first.
  Half& at(int column, int row) { return halves_[static_cast<size_t>(row) * kMostSliceColumns + column]; }

 private:
  std::array<Half, size_t{kMostSliceRows} * kMostSliceColumns> halves_{};
};
inline bool is_hash_copy(Kind kind) { return kind == Kind::hash_copy || kind == Kind::hash_copy_again; }

}  // namespace texcast::compact
