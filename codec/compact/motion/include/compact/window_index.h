// window_index.h — where a picture had which windows of 8 x 8 pixels: sampled by what is in them and not by where
// they lie, so that what moved by any number of pixels is sampled again, and found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compact/motion_search.h"

namespace texcast::compact {

// Places may be out of date: who asks looks whether the window is there still.
class WindowIndex {
 public:
  // Rows of the picture of which those of one are put down by one thread.
  static constexpr int kWays = 4;

  WindowIndex() = default;
  explicit WindowIndex(const PixelPlane& plane);
  // Those that begin in a tile and in rows of this way. Of equal ones the last one that is put down stays.
  void put(const PixelPlane& plane, const BlockRect& rect, int way);
  // By what a tile moved, in pixels: its windows in `now` that are no longer where they were, asked where `then`, of
  // which the places were put down, has them.
  MotionCandidates vote(const PixelPlane& now, const PixelPlane& then, const BlockRect& rect) const;

  std::span<const uint32_t> entries() const { return entries_; }
  // So many of a window's hash say its bucket.
  static int bits(size_t pixels);

 private:
  int shift_ = 63;
  std::vector<uint32_t> entries_;  // number of the upper left pixel and 1, kWays beside each other
};

// Where the frame before had which window: 2^bits buckets of four, by the upper bits of a hash (window_index.h).
int windows_bits(const TileGrid& grid);

}  // namespace texcast::compact
