#include "compact/window_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>

namespace texcast::compact {
namespace {

constexpr int kWindowSide = 8;
constexpr uint64_t kFactor = 0x9E3779B97F4A7C15u;
constexpr int kSampleBits = 5;        // one of 2^kSampleBits windows is sampled
constexpr int kMostSamples = 128;     // of a tile
constexpr uint32_t kMostMatches = 2;  // of a sample

uint64_t row_of(const PixelPlane& plane, int x, int y) {
  uint64_t row;
  std::memcpy(&row, plane.row(y) + x, sizeof row);
  return row;
}
// `row` is the first row of the window. Uniform rows are not distinctive.
bool is_sampled(uint64_t row) {
  return row * kFactor >> (64 - kSampleBits) == 0 && row != (row & 0xFF) * 0x0101010101010101u;
}
uint64_t hash_at(const PixelPlane& plane, int x, int y) {
  uint64_t hash = 0;
  for (int j = 0; j < kWindowSide; ++j) hash = std::rotl(hash ^ row_of(plane, x, y + j), 29) * kFactor;
  return hash;
}
bool is_same(const PixelPlane& a, int ax, int ay, const PixelPlane& b, int bx, int by) {
  for (int j = 0; j < kWindowSide; ++j)
    if (row_of(a, ax, ay + j) != row_of(b, bx, by + j)) return false;
  return true;
}

// The upper left pixels of the windows that begin in a tile and lie within the picture.
struct Corners {
  int x0, y0, x1, y1;
  Corners(const PixelPlane& plane, const BlockRect& rect)
      : x0(rect.x0 * 4),
        y0(rect.y0 * 4),
        x1(std::min(rect.x1 * 4, plane.width() - kWindowSide + 1)),
        y1(std::min(rect.y1 * 4, plane.height() - kWindowSide + 1)) {}
};

// The best match of each partition of a tile.
class PartitionMatches {
 public:
  PartitionMatches(const PixelPlane& source, const PixelPlane& reference, const BlockRect& rect)
      : source_(source), reference_(reference), rect_(rect) {
    least_.fill(std::numeric_limits<int>::max());
  }
  // A match of the window at (x, y).
  void add(int x, int y, const MotionVector& vector) {
    const int column = (x - rect_.x0 * 4) / kPartitionSide, row = (y - rect_.y0 * 4) / kPartitionSide;
    const auto partition = static_cast<size_t>(row * 4 + column);
    if (vector == vectors_[partition]) return;
    const int left = rect_.x0 * 4 + column * kPartitionSide, top = rect_.y0 * 4 + row * kPartitionSide;
    const int sad = sad_at(source_, reference_, left, top, std::min(kPartitionSide, rect_.x1 * 4 - left),
                           std::min(kPartitionSide, rect_.y1 * 4 - top), vector, least_[partition]);
    if (sad >= least_[partition]) return;
    least_[partition] = sad;
    vectors_[partition] = vector;
  }
  const TileVectors& vectors() const { return vectors_; }

 private:
  const PixelPlane &source_, &reference_;
  const BlockRect rect_;
  std::array<int, 8> least_{};
  TileVectors vectors_{};
};

}  // namespace

int WindowIndex::bits(size_t pixels) {
  return static_cast<int>(std::bit_width(std::max<size_t>(pixels >> (kSampleBits - 1), 1)));
}

WindowIndex::WindowIndex(const PixelPlane& plane)
    : shift_(64 - bits(plane.pixels().size())), entries_(size_t{kWays} << bits(plane.pixels().size())) {}

void WindowIndex::put(const PixelPlane& plane, const BlockRect& rect, int way) {
  const Corners corners(plane, rect);
  for (int y = corners.y0 + ((way - corners.y0) & (kWays - 1)); y < corners.y1; y += kWays)
    for (int x = corners.x0; x < corners.x1; ++x)
      if (is_sampled(row_of(plane, x, y)))
        put({.bucket = bucket_of(plane, x, y), .position = static_cast<uint32_t>(y * plane.width() + x)}, way);
}

void WindowIndex::put(const TileWindows& windows, const PixelPlane& plane, const BlockRect& rect, int way) {
  if (!windows.are_all()) return put(plane, rect, way);
  for (const TileWindows::Window& window : windows.list())
    if (window.way == way) put(window, way);
}

uint32_t WindowIndex::bucket_of(const PixelPlane& plane, int x, int y) const {
  return static_cast<uint32_t>(hash_at(plane, x, y) >> shift_);
}

WindowMatches WindowIndex::find(const PixelPlane& source, const PixelPlane& reference, const BlockRect& rect,
                                TileWindows& windows) const {
  const Corners corners(source, rect);
  struct Sample {
    const uint32_t* bucket;
    int x, y;
  };
  std::array<Sample, kMostSamples> samples;
  size_t count = 0;
  windows.clear();
  for (int y = corners.y0; y < corners.y1; ++y)
    for (int x = corners.x0; x < corners.x1; ++x) {
      const uint64_t row = row_of(source, x, y);
      if (!is_sampled(row)) continue;
      const uint32_t bucket = bucket_of(source, x, y);
      windows.add({.bucket = bucket,
                   .position = static_cast<uint32_t>(y * source.width() + x),
                   .way = static_cast<uint8_t>(y & (kWays - 1))});
      if (count == samples.size() || row == row_of(reference, x, y)) continue;
      samples[count++] = {&entries_[size_t{bucket} * kWays], x, y};
      __builtin_prefetch(samples[count - 1].bucket);
    }
  // Buckets and positions are scattered over memory. Prefetching them all hides the latency.
  const uint8_t* const pixels = reference.pixels().data();
  for (const Sample& sample : std::span(samples).first(count))
    for (int way = 0; way < kWays; ++way)
      if (sample.bucket[way] != 0) __builtin_prefetch(pixels + sample.bucket[way] - 1);
  CandidateCounter<4 * kMostSamples> counter;
  PartitionMatches of_partitions(source, reference, rect);
  for (const auto& [bucket, x, y] : std::span(samples).first(count)) {
    uint32_t found = 0;
    for (int way = 0; way < kWays && found < kMostMatches; ++way) {
      if (bucket[way] == 0 || std::memcmp(pixels + bucket[way] - 1, source.row(y) + x, kWindowSide) != 0) continue;
      const int position = static_cast<int>(bucket[way] - 1), px = position % source.width(),
                py = position / source.width();
      if (!is_same(source, x, y, reference, px, py)) continue;
      counter.count({px - x, py - y});
      of_partitions.add(x, y, {px - x, py - y});
      ++found;
    }
  }
  return {.most = counter.most(), .of_partitions = of_partitions.vectors()};
}

int window_index_bits(const TileGrid& grid) {
  const Component& first = grid.component(0);
  return WindowIndex::bits(static_cast<size_t>(first.blocks_x) * static_cast<size_t>(first.blocks_y) * 16);
}

}  // namespace texcast::compact
