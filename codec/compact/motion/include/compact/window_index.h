// window_index.h — a hash table with positions of windows of 8 x 8 pixels. Their content and not their position decides
// which windows are sampled, so that content that moved by any number of pixels is sampled again, and found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compact/motion_search.h"

namespace texcast::compact {

// Windows of a tile that were found in the previous picture, as vectors in pixels.
struct WindowMatches {
  MotionCandidates most{};
  // For each partition the vector with the least SAD between the partition and the previous picture, of those of the
  // windows that begin in it; of several the one found first. Zero: none was found.
  TileVectors of_partitions{};
  bool operator==(const WindowMatches&) const = default;
};

// The sampled windows that begin in a tile, row by row. They are found once: to search for them in the previous frame,
// and to insert them for the next one.
class TileWindows {
 public:
  struct Window {
    uint32_t bucket = 0, position = 0;  // the position: that of the upper left pixel, row by row
    uint8_t way = 0;
  };
  void clear() {
    count_ = 0;
    are_all_ = true;
  }
  void add(const Window& window) {
    if (count_ < windows_.size())
      windows_[count_++] = window;
    else
      are_all_ = false;
  }
  // False: they have not been found yet, or there was no room for some.
  bool are_all() const { return are_all_; }
  std::span<const Window> list() const { return std::span(windows_).first(count_); }

 private:
  static constexpr size_t kMost = 192;  // three times what a tile has on average
  bool are_all_ = false;
  size_t count_ = 0;
  std::array<Window, kMost> windows_;
};

// Entries may be stale: find() checks whether the window is still there.
class WindowIndex {
 public:
  // Row y belongs to way y mod kWays. Each way is updated by one thread at a time.
  static constexpr int kWays = 4;

  WindowIndex() = default;
  explicit WindowIndex(const PixelPlane& plane);
  // Inserts the sampled windows that begin in a tile and in rows of this way. Later ones overwrite those in the same
  // slot.
  void put(const PixelPlane& plane, const BlockRect& rect, int way);
  // The same, much faster if find() has found `windows` in the same pixels of `plane`.
  void put(const TileWindows& windows, const PixelPlane& plane, const BlockRect& rect, int way);
  // Finds motion candidates for a tile. The samples are windows of `source` that differ from `reference` at the same
  // position. The index has the positions of `reference`. Up to two positions of each sample count. `windows` becomes
  // those of the tile in `source`.
  WindowMatches find(const PixelPlane& source, const PixelPlane& reference, const BlockRect& rect,
                     TileWindows& windows) const;

  std::span<const uint32_t> entries() const { return entries_; }
  // There are 2^bits(pixels) buckets, selected by the upper bits of the hash.
  static int bits(size_t pixels);

 private:
  uint32_t bucket_of(const PixelPlane& plane, int x, int y) const;
  void put(const TileWindows::Window& window, int way) {
    entries_[size_t{window.bucket} * kWays + static_cast<size_t>(way)] = window.position + 1;
  }

  int shift_ = 63;
  std::vector<uint32_t> entries_;  // the number of the upper left pixel, plus 1; a bucket has kWays of them
};

// WindowIndex::bits() of the first component, for kernels.
int window_index_bits(const TileGrid& grid);

}  // namespace texcast::compact
