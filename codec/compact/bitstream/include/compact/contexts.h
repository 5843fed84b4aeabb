// contexts.h — the syntax of a unit's half-blocks: its symbols, each one of at most 16 values, and the contexts that
// choose a symbol's table. A context depends on symbols before it in the same unit alone, never on a decoded block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace texcast::compact {

inline constexpr int kSymbols = 16;

// How a sub-block is coded.
enum class Kind : uint8_t {
  motion_copy,      // a copy from the reference frame at the partition's vector
  co_located,       // a copy from the reference frame in the same place (if the vector is not zero)
  left,             // the bytes of the left neighbour
  above,            // the bytes of the upper neighbour
  coded,            // end points and indices follow
  hash_copy_again,  // a copy from the reference frame at the vector of the latest hash_copy
  hash_copy,        // a copy from the reference frame at a vector of its own, in blocks
};

// Where the end points of a coded sub-block come from.
enum class EndPoints : uint8_t {
  reference,  // the reference frame at the vector
  left,
  above,
  near_reference,  // as above, plus a residual
  near_left,
  near_above,
  near_fit,  // fitted to the prediction block, plus a residual
  recent,    // this and the next three: one of the slice's last four pairs
  fit = 11,  // lossy slices: fitted, without a residual
};
inline constexpr int kRecent = 4;
inline bool has_difference(int end_points) {
  return end_points >= static_cast<int>(EndPoints::near_reference) &&
         end_points <= static_cast<int>(EndPoints::near_fit);
}

// Where its indices come from.
enum class Indices : uint8_t {
  predicted,  // the levels nearest to the prediction block
  constant,   // one level
  reference,  // the reference frame at the vector
  left,
  above,
  near_0,  // ranks relative to the prediction, with the statistics of blocks that differ from it hardly …
  near_1,
  near_2,
  near_3,  // … or very much
  intra,   // without the reference frame
  // Lossy slices, chroma with as many texels as luma: the indices of the first component in the same place …
  luma,
  mirrored_luma,  // … counted from the second end point
  texels,         // lossy slices, channels: level by level, without the reference frame
};
inline bool is_near(int indices) {
  return indices >= static_cast<int>(Indices::near_0) && indices <= static_cast<int>(Indices::near_3);
}

// The vector of a partition. Lossy slices add kPartitionCopied if all its sub-blocks are motion copies.
enum class PartitionVector : uint8_t { zero, left, above, other };
inline constexpr int kPartitionCopied = 4;

namespace context {

// Of size contexts from first on.
struct Group {
  int first, size;
  constexpr int end() const { return first + size; }
};
inline constexpr Group kVector{0, 4};
inline constexpr Group kDistance{kVector.end(), 2 * 18};
inline constexpr Group kKind{kDistance.end(), 3 * 16};
inline constexpr Group kEndPoints{kKind.end(), 2 * 16};
inline constexpr Group kDifference{kEndPoints.end(), 4 * 204};
inline constexpr Group kIndices{kDifference.end(), 4 * 81};
inline constexpr Group kLevel{kIndices.end(), 1};
inline constexpr Group kRanks{kLevel.end(), 5 * 40};
inline constexpr Group kFarRank{kRanks.end(), 5};
inline constexpr Group kLevels{kFarRank.end(), 17 * 5};
inline constexpr Group kFlat{kLevels.end(), 4};  // 2, 4, 8, 16 equally likely: bits that nothing is known of
inline constexpr int kLosslessCount = kFlat.end();
// Of lossy units alone, instead of kVector and kKind.
inline constexpr Group kPartition{kLosslessCount, 3 * 4};
inline constexpr Group kLossyKind{kPartition.end(), 5 * 16};
// And of lossy units' channels.
inline constexpr Group kTexelLevel{kLossyKind.end(), 6 * 6 * 3};
inline constexpr int kCount = kTexelLevel.end();

}  // namespace context

// What the next half-blocks' contexts need to know of one. 0: there is none.
struct NeighbourState {
  uint8_t kind = 0;        // 0 moved, 1 another copy, 2 coded with indices taken over, 3 coded
  uint8_t end_points = 0;  // 0 not coded, 1 before, 2 others taken over or near, 3 near_before
  // 0 not coded, 1 predicted, 2 constant, 3 taken over, 4 to 7 near, 8 alone; in lossy units also 5 and 6 luma's, 7
  // texels
  uint8_t indices = 0;
  uint8_t difference = 0;  // the largest class of a difference
};

// The least that lies between the two end points that are fitted, where a half-block is coded and not only moved: by a
// unit's quantiser. A residual is worth its bits where a step is about what is lost anyway.
inline constexpr int kQuantisers = 12;
inline constexpr int kLeastRange[kSymbols] = {0, 8, 11, 16, 22, 31, 44, 62, 88, 124, 176, 248, 255, 255, 255, 255};

inline int magnitude_class(int difference) {
  const int size = std::abs(difference);
  return (size > 0) + (size > 1) + (size > 3);
}

// Differences as symbols: 0, 1, -1, 2, -2 … are 0, 1, 2, 3, 4 …; up to 11 a symbol each, then a symbol for its number
// of further bits.
constexpr uint32_t fold(int difference) { return difference <= 0 ? -2 * difference : 2 * difference - 1; }
inline int unfold(uint32_t folded) {
  return folded & 1 ? static_cast<int>(folded / 2 + 1) : -static_cast<int>(folded / 2);
}
inline constexpr uint32_t kDirect = 12;
inline constexpr uint32_t kEscapeFirst[4] = {12, 16, 32, 96};
inline constexpr int kEscapeBits[4] = {2, 4, 6, 9};

// Distances as symbols: the number of bits of the size, then those bits but the first, then the sign.
inline int bit_length(uint32_t size) { return size == 0 ? 0 : 32 - __builtin_clz(size); }
inline constexpr int kMostDistanceBits = 14;  // 16383

}  // namespace texcast::compact
