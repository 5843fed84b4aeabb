#include "compact/tile_sums.h"

#include "compact/payload.h"

namespace texcast::compact {

// The strips of a tile, all of which are in one frame, count one after the other. The tiles of a run share its check.
void TileSums::tell(const Slice& slice, uint32_t check) {
  for (uint32_t tile = slice.tile; tile < slice.tile + slice.tiles; ++tile) {
    const bool goes_on = told_in_[tile] == frame_;
    sums_[tile] = joined_check(goes_on ? sums_[tile] : 0, check);
    told_in_[tile] = frame_;
  }
}

uint32_t TileSums::row(int row) const {
  const size_t first = static_cast<size_t>(row) * across_;
  uint32_t sum = 0;
  for (size_t tile = first; tile < first + across_; ++tile) sum = joined_check(sum, sums_[tile]);
  return sum;
}

}  // namespace texcast::compact
