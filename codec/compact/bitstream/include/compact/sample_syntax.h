// sample_syntax.h — the symbols of sample slices, for encoders and decoders: intra slices that reproduce the samples of
// a tile or sub-slice exactly, and its sub-blocks with them (docs/compact.md). Most sub-blocks are those that the fit
// (block_fit.h) makes of their samples, so that only samples are coded, each as the difference from a prediction from
// its neighbours.
//
// The contexts are those of the magnitudes of coefficients in transform slices, of the highest frequencies.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "compact/tile_grid.h"
#include "compact/transform_syntax.h"

namespace texcast::compact {

// How a sub-block and its samples are coded.
enum class SampleSource : uint8_t {
  predicted,  // differences of samples; the sub-block is fitted to them
  sub_block,  // the sub-block; the samples are what it decodes to
  literal,    // the samples; the sub-block is fitted to them
};
inline constexpr uint32_t kSampleSources = 3;
inline constexpr int kSampleSourceBits = 2;

// A difference is one of -128 to 127, as samples are added modulo 256.
inline constexpr int kMostSampleMagnitude = 128;

// The header of a sample slice. It is read with any tables, as literal bits have the same probabilities in all.
struct SampleHeader {
  int range = 0;             // transform_range() of the tables
  bool has_sources = false;  // each sub-block says its source; else it is `predicted`
};
inline constexpr int kSampleRangeBits = 2;

// The prediction of a sample: the median of the samples on the left and above, and of the plane through these and the
// one above on the left. `has_left`, `has_above`: these samples belong to the slice.
inline int predicted_sample(const uint8_t* at, ptrdiff_t stride, bool has_left, bool has_above) {
  if (!has_above) return has_left ? at[-1] : 128;
  if (!has_left) return at[-stride];
  const int left = at[-1], above = at[-stride], corner = at[-stride - 1];
  return std::clamp(left + above - corner, std::min(left, above), std::max(left, above));
}

// The magnitudes of the differences in two rows of a component, up to 128. Those outside the slice are 0.
class SampleMagnitudes {
 public:
  // The context of the sample in a column of the current row, by the sum of the magnitudes on its left, and above on
  // the left, straight above, and above on the right.
  int context(int column) const {
    const uint8_t *const above = &above_[static_cast<size_t>(column)], *const left = &row_[static_cast<size_t>(column)];
    return first_magnitude_context(kCoefficients - 1) + neighbours_class(left[0] + above[0] + above[1] + above[2]);
  }
  void set(int column, int magnitude) { row_[static_cast<size_t>(column) + 1] = static_cast<uint8_t>(magnitude); }
  void next_row() {
    std::swap(above_, row_);
    row_.fill(0);
  }

 private:
  std::array<uint8_t, kTileWidth + 2> above_{}, row_{};  // column x at x + 1
};

}  // namespace texcast::compact
