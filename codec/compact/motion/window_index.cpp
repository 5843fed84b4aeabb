#include "compact/window_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

namespace texcast::compact {
namespace {

constexpr int kWindowSide = 8;
constexpr uint64_t kFactor = 0x9E3779B97F4A7C15u;
constexpr int kSampleBits = 5;     // of so many windows to the power of 2 one is sampled
constexpr int kMostOfATile = 128;  // samples
constexpr uint32_t kAsked = 2;     // places of each

uint64_t row_of(const PixelPlane& plane, int x, int y) {
  uint64_t row;
  std::memcpy(&row, plane.row(y) + x, sizeof row);
  return row;
}
// By its first row; what is of one shade says nothing.
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

// Windows of a tile that lie within the picture: their upper left pixels.
struct Corners {
  int x0, y0, x1, y1;
  Corners(const PixelPlane& plane, const BlockRect& rect)
      : x0(rect.x0 * 4),
        y0(rect.y0 * 4),
        x1(std::min(rect.x1 * 4, plane.width() - kWindowSide + 1)),
        y1(std::min(rect.y1 * 4, plane.height() - kWindowSide + 1)) {}
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
        entries_[(hash_at(plane, x, y) >> shift_) * kWays + static_cast<size_t>(way)] =
            static_cast<uint32_t>(y * plane.width() + x) + 1;
}

MotionCandidates WindowIndex::vote(const PixelPlane& now, const PixelPlane& then, const BlockRect& rect) const {
  const Corners corners(now, rect);
  struct Sample {
    const uint32_t* bucket;
    int x, y;
  };
  std::array<Sample, kMostOfATile> samples;
  size_t count = 0;
  for (int y = corners.y0; y < corners.y1 && count < samples.size(); ++y)
    for (int x = corners.x0; x < corners.x1 && count < samples.size(); ++x) {
      const uint64_t row = row_of(now, x, y);
      if (!is_sampled(row) || row == row_of(then, x, y)) continue;
      samples[count++] = {&entries_[(hash_at(now, x, y) >> shift_) * kWays], x, y};
      __builtin_prefetch(samples[count - 1].bucket);
    }
  // Buckets and places lie anywhere: what is to be read of them is on its way while others are looked at.
  const uint8_t* const pixels = then.pixels().data();
  for (const Sample& sample : std::span(samples).first(count))
    for (int way = 0; way < kWays; ++way)
      if (sample.bucket[way] != 0) __builtin_prefetch(pixels + sample.bucket[way] - 1);
  CandidateCounter<4 * kMostOfATile> counter;
  for (const auto& [bucket, x, y] : std::span(samples).first(count)) {
    uint32_t found = 0;
    for (int way = 0; way < kWays && found < kAsked; ++way) {
      if (bucket[way] == 0 || std::memcmp(pixels + bucket[way] - 1, now.row(y) + x, kWindowSide) != 0) continue;
      const int place = static_cast<int>(bucket[way] - 1), px = place % now.width(), py = place / now.width();
      if (!is_same(now, x, y, then, px, py)) continue;
      counter.count({px - x, py - y});
      ++found;
    }
  }
  return counter.most();
}

int windows_bits(const TileGrid& grid) {
  const Component& first = grid.component(0);
  return WindowIndex::bits(static_cast<size_t>(first.blocks_x) * static_cast<size_t>(first.blocks_y) * 16);
}

}  // namespace texcast::compact
