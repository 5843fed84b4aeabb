#include "compact/tile_sums.h"

#include "compact/payload.h"

namespace texcast::compact {

// The sub-slices of a tile, which all belong to one frame, are joined in order. The tiles of a slice of several tiles
// all use its check.
void TileSums::add(const Slice& slice, uint32_t check) {
  for (uint32_t tile = slice.tile; tile < slice.tile + slice.tiles; ++tile) {
    const bool has_earlier_sub_slice = coded_in_[tile] == frame_;
    sums_[tile] = joined_check(has_earlier_sub_slice ? sums_[tile] : 0, check);
    coded_in_[tile] = frame_;
  }
}

uint32_t TileSums::row(int row) const {
  const size_t first = static_cast<size_t>(row) * across_;
  uint32_t sum = 0;
  for (size_t tile = first; tile < first + across_; ++tile) sum = joined_check(sum, sums_[tile]);
  return sum;
}

}  // namespace texcast::compact
