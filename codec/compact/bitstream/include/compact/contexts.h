// contexts.h — the symbols of a slice's sub-blocks, each with at most 16 values, and the contexts that select a
// symbol's probability table. A context depends only on earlier symbols of the same slice, never on decoded blocks.
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

// The source of a coded sub-block's end points.
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
inline bool has_residual(int end_points) {
  return end_points >= static_cast<int>(EndPoints::near_reference) &&
         end_points <= static_cast<int>(EndPoints::near_fit);
}

// The source of its indices.
enum class Indices : uint8_t {
  predicted,  // the levels nearest to the prediction block
  constant,   // one level
  reference,  // the reference frame at the vector
  left,
  above,
  near_0,  // ranks (levels relative to the prediction), with the statistics of blocks with small residuals …
  near_1,
  near_2,
  near_3,  // … up to those of blocks with large ones
  intra,   // without the reference frame
  // Lossy slices, chroma with as many texels as luma: the indices of the first component at the same position …
  luma,
  mirrored_luma,  // … counted from the second end point
  texels,         // lossy slices, channels: direct levels, one symbol for each texel, without the reference frame
};
inline bool is_near(int indices) {
  return indices >= static_cast<int>(Indices::near_0) && indices <= static_cast<int>(Indices::near_3);
}

// The vector of a partition. Lossy slices add kPartitionCopied if all its sub-blocks are motion copies.
enum class PartitionVector : uint8_t { zero, left, above, other };
inline constexpr int kPartitionCopied = 4;

namespace context {

// `size` contexts, the first of which is `first`.
struct Group {
  int first, size;
  constexpr int end() const { return first + size; }
};
inline constexpr Group kVector{0, 4};
inline constexpr Group kDistance{kVector.end(), 2 * 18};
inline constexpr Group kKind{kDistance.end(), 3 * 16};
inline constexpr Group kEndPoints{kKind.end(), 2 * 16};
inline constexpr Group kResidual{kEndPoints.end(), 4 * 204};
inline constexpr Group kIndices{kResidual.end(), 4 * 81};
inline constexpr Group kLevel{kIndices.end(), 1};
inline constexpr Group kRanks{kLevel.end(), 5 * 40};
inline constexpr Group kFarRank{kRanks.end(), 5};
inline constexpr Group kLevels{kFarRank.end(), 17 * 5};
inline constexpr Group kLiteral{kLevels.end(),
                                4};  // literal bits, by their number: 2, 4, 8 or 16 equally likely values
inline constexpr int kLosslessCount = kLiteral.end();
// Only in lossy slices, instead of kVector and kKind.
inline constexpr Group kPartition{kLosslessCount, 3 * 4};
inline constexpr Group kLossyKind{kPartition.end(), 5 * 16};
// Only in channels of lossy slices.
inline constexpr Group kTexelLevel{kLossyKind.end(), 6 * 6 * 3};
inline constexpr int kCount = kTexelLevel.end();

}  // namespace context

// The context state that a sub-block leaves for its right and lower neighbours. All are 0 if there is no neighbour.
struct NeighbourState {
  uint8_t kind = 0;        // 0 motion copy, 1 other copy, 2 coded without a rank or level per texel, 3 coded with them
  uint8_t end_points = 0;  // 0 not coded, 1 reference, 2 other sources, 3 near_reference
  // 0 not coded, 1 predicted, 2 constant, 3 copied from reference, left or above, 4 to 7 near, 8 intra; in lossy slices
  // also 5 luma, 6 mirrored luma, 7 texels.
  uint8_t indices = 0;
  uint8_t residual = 0;  // the largest magnitude class of a residual
};

// The minimum range between the fitted end points of a coded sub-block, by the quantiser of the slice; motion copies
// are not widened. Residuals are worth their bits if the step between two levels is about as large as the coding error.
inline constexpr int kQuantisers = 12;
inline constexpr int kLeastRange[kSymbols] = {0, 8, 11, 16, 22, 31, 44, 62, 88, 124, 176, 248, 255, 255, 255, 255};

inline int magnitude_class(int residual) {
  const int size = std::abs(residual);
  return (size > 0) + (size > 1) + (size > 3);
}

// Residuals as symbols: 0, 1, -1, 2, -2 … are folded to 0, 1, 2, 3, 4 …. Each value below kDirect has its own symbol;
// larger ones have a symbol for the number of literal bits that follow.
constexpr uint32_t fold(int residual) { return residual <= 0 ? -2 * residual : 2 * residual - 1; }
inline int unfold(uint32_t folded) {
  return folded & 1 ? static_cast<int>(folded / 2 + 1) : -static_cast<int>(folded / 2);
}
inline constexpr uint32_t kDirect = 12;
inline constexpr uint32_t kEscapeFirst[4] = {12, 16, 32, 96};
inline constexpr int kEscapeBits[4] = {2, 4, 6, 9};

// Vector components as symbols: the number of bits of the magnitude, then its bits without the highest, then the sign.
inline int bit_length(uint32_t magnitude) { return magnitude == 0 ? 0 : 32 - __builtin_clz(magnitude); }
inline constexpr int kMostDistanceBits = 14;  // up to 16383

}  // namespace texcast::compact
