#include "compact/motion_search.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "compact/ranks.h"
#include "compact/window.h"

namespace texcast::compact {

int difference_at(const PixelPlane& now, const PixelPlane& then, int x, int y, int width, int height,
                  const MotionVector& v, int enough) {
  const int tx = x + v.x, ty = y + v.y;
  int sum = 0;
  if (width == kPartitionSide && tx >= 0 && ty >= 0 && tx + width <= then.width() && ty + height <= then.height()) {
    const uint8_t* a = now.row(y) + x;
    const uint8_t* b = then.row(ty) + tx;
    for (int j = 0; j < height; j += 4) {
      U64x2 sums{};
      for (int i = 0; i < 4; ++i, a += now.width(), b += then.width())
        sums += sums_of_differences(load_vector<U8x16>(a), load_vector<U8x16>(b));
      sum += static_cast<int>(sums[0] + sums[1]);
      if (sum >= enough) return sum;
    }
    return sum;
  }
  for (int j = 0; j < height; ++j) {
    const uint8_t* a = now.row(y + j);
    const uint8_t* b = then.row(std::clamp(ty + j, 0, then.height() - 1));
    for (int i = 0; i < width; ++i) sum += std::abs(a[x + i] - b[std::clamp(tx + i, 0, then.width() - 1)]);
    if (sum >= enough) return sum;
  }
  return sum;
}

namespace {

// difference_at() by a vector in half pixels: between pixels their mean, of four that of two means.
int difference_at_halves(const PixelPlane& now, const PixelPlane& then, int x, int y, int width, int height,
                         const MotionVector& v, int enough) {
  const int right = v.x & 1, down = v.y & 1;
  if (right + down == 0) return difference_at(now, then, x, y, width, height, {v.x >> 1, v.y >> 1}, enough);
  const int tx = x + (v.x >> 1), ty = y + (v.y >> 1);
  int sum = 0;
  if (width == kPartitionSide && tx >= 0 && ty >= 0 && tx + right + width <= then.width() &&
      ty + down + height <= then.height()) {
    for (int j = 0; j < height; ++j) {
      const uint8_t* upper = then.row(ty + j) + tx;
      const uint8_t* lower = then.row(ty + j + down) + tx;
      U8x16 mean;
      if (right + down == 2)
        mean = average(average(load_vector<U8x16>(upper), load_vector<U8x16>(upper + 1)),
                       average(load_vector<U8x16>(lower), load_vector<U8x16>(lower + 1)));
      else
        mean = average(load_vector<U8x16>(upper), load_vector<U8x16>(lower + right));
      const U64x2 sums = sums_of_differences(load_vector<U8x16>(now.row(y + j) + x), mean);
      sum += static_cast<int>(sums[0] + sums[1]);
      if (sum >= enough) return sum;
    }
    return sum;
  }
  const auto at = [&](int px, int py) {
    return int{then.row(std::clamp(py, 0, then.height() - 1))[std::clamp(px, 0, then.width() - 1)]};
  };
  const auto mean = [](int a, int b) { return (a + b + 1) >> 1; };
  for (int j = 0; j < height; ++j) {
    for (int i = 0; i < width; ++i) {
      const int px = tx + i, py = ty + j;
      const int value = right + down == 2
                            ? mean(mean(at(px, py), at(px + 1, py)), mean(at(px, py + 1), at(px + 1, py + 1)))
                            : mean(at(px, py), at(px + right, py + down));
      sum += std::abs(now.row(y + j)[x + i] - value);
    }
    if (sum >= enough) return sum;
  }
  return sum;
}

U8x16 values_of(const ReferenceComponent& picture, int x, int y) {
  Window<ChannelSubBlock> window;
  window.load(picture, x * 4, y * 4);
  return window.texels();
}

// About the luma; between the end points as the colours there, but for the rounding.
U8x16 shades_of(const ReferenceComponent& picture, int x, int y) {
  const uint64_t half = picture.half(x, y);
  const uint32_t ends = ends_of<ColorSubBlock>(half);
  const auto colors = ColorSubBlock::colors(ends);
  const auto luma = [](const std::array<int, 3>& c) { return c[0] + 2 * c[1] + c[2]; };
  const int first = luma(colors[0]), second = luma(colors[1]);
  const bool full = ColorSubBlock::full(picture.component().kind, ends);
  const int levels[4] = {first / 4, full ? (2 * first + second) / 12 : (first + second) / 8,
                         full ? (first + 2 * second) / 12 : second / 4, full ? second / 4 : 0};
  const U8x16 level = level_vector<ColorSubBlock>(half, full);
  U8x16 shades{};
  for (int l = 0; l < 4; ++l) shades |= reinterpret_cast<U8x16>(level == filled(l)) & filled(levels[l]);
  return shades;
}

}  // namespace

uint32_t hash_of_vector(const MotionVector& v) {
  return (static_cast<uint32_t>(v.x) * 0x9E3779B1u ^ static_cast<uint32_t>(v.y)) * 0x85EBCA6Bu;
}

// More votes, or as many for a shorter vector.
bool comes_before(const MotionCandidate& a, const MotionCandidate& b) {
  const auto length = [](const MotionVector& v) { return std::abs(v.x) + std::abs(v.y); };
  if (a.votes != b.votes) return a.votes > b.votes;
  if (length(a.blocks) != length(b.blocks)) return length(a.blocks) < length(b.blocks);
  return a.blocks.y != b.blocks.y ? a.blocks.y < b.blocks.y : a.blocks.x < b.blocks.x;
}

PixelPlane::PixelPlane(const Component& component)
    : width_(component.blocks_x * 4), height_(component.blocks_y * 4), pixels_(static_cast<size_t>(width_) * height_) {}

void PixelPlane::update(const Component& component, const std::byte* texture, const BlockRect& rect,
                        const TileChanges& changes) {
  const bool is_channel = component.kind == SubBlockKind::channel;
  const ReferenceComponent picture(texture, component);
  for (int y = rect.y0; y < rect.y1; ++y) {
    for_each_bit(changes.rows[y - rect.y0], [&](int column) {
      const int x = rect.x0 + column;
      const auto rows = reinterpret_cast<U32x4>(is_channel ? values_of(picture, x, y) : shades_of(picture, x, y));
      uint8_t* at = pixels_.data() + static_cast<size_t>(y) * 4 * width_ + x * 4;
      for (int j = 0; j < 4; ++j, at += width_) {
        const uint32_t row = rows[j];
        std::memcpy(at, &row, 4);
      }
    });
  }
}

void PixelPlane::draw(const SourcePicture& picture, const BlockRect& rect) {
  for (int y = rect.y0 * 4; y < rect.y1 * 4; ++y)
    std::memcpy(pixels_.data() + static_cast<size_t>(y) * width_ + rect.x0 * 4, picture.luma_row(y) + rect.x0 * 4,
                static_cast<size_t>(rect.width()) * 4);
}

void PixelPlane::take(const PixelPlane& from, const BlockRect& rect) {
  for (int y = rect.y0 * 4; y < rect.y1 * 4; ++y) {
    const size_t at = static_cast<size_t>(y) * width_ + rect.x0 * 4;
    std::memcpy(pixels_.data() + at, from.pixels_.data() + at, static_cast<size_t>(rect.width()) * 4);
  }
}

MotionCandidates vote(const Component& component, const BlockRect& rect, const TileChanges& changes,
                      const std::byte* texture, const std::byte* before, const SubBlockIndex& places) {
  constexpr uint32_t kAsked = 2;
  // Samples are half of a tile's half-blocks, so this is never more than half full.
  constexpr uint32_t kSlots = 2 * kAsked * kMostSliceColumns * kMostSliceRows / 2;
  CandidateCounter<kSlots> counter;
  struct Sample {
    uint64_t half;
    int x, y;
  };
  std::array<Sample, kMostSliceColumns * kMostSliceRows / 2> samples;
  size_t sample_count = 0;
  for (int y = rect.y0; y < rect.y1; ++y) {
    const uint32_t sampled = y % 2 == 0 ? 0x5555 : 0xAAAA;
    for_each_bit(changes.rows[y - rect.y0] & sampled, [&](int column) {
      const int x = rect.x0 + column;
      const uint64_t half = load_sub_block(texture + component.at(x, y));
      if (column > 0 && load_sub_block(texture + component.at(x - 1, y)) == half) return;  // says nothing
      places.prefetch(half);
      samples[sample_count++] = {half, x, y};
    });
  }
  for (const Sample& sample : std::span(samples).first(sample_count)) {
    uint32_t found = 0;
    places.find(sample.half, [&](int px, int py) {
      if (found == kAsked || load_sub_block(before + component.at(px, py)) != sample.half) return;
      counter.count({px - sample.x, py - sample.y});
      ++found;
    });
  }
  return counter.most();
}

void GlobalMotion::add(const MotionCandidate& movement) {
  if (movement.votes == 0) return;
  MotionCandidate* weakest = nullptr;
  for (size_t i = 0; i < kProbes; ++i) {
    MotionCandidate& entry = entries_[(hash_of_vector(movement.blocks) >> 24) + i];
    if (entry.votes == 0 || entry.blocks == movement.blocks) {
      entry = {movement.blocks, entry.votes + movement.votes};
      return;
    }
    if (weakest == nullptr || entry.votes < weakest->votes) weakest = &entry;
  }
  if (weakest->votes <= movement.votes) *weakest = movement;
}

void GlobalMotion::finish(int pixels) {
  constexpr uint32_t kLeastVotes = 4;
  winner_count_ = 0;
  while (winner_count_ < winners_.size()) {
    const auto most = std::ranges::max_element(entries_, {}, &MotionCandidate::votes);
    if (most->votes < kLeastVotes) break;
    winners_[winner_count_++] = {most->blocks.x * pixels, most->blocks.y * pixels};
    most->votes = 0;
  }
}

void search_vectors(const BlockRect& rect, const TileChanges& changes, const PixelPlane& now, const PixelPlane& then,
                    const MotionVector& own, std::span<const MotionVector> votes,
                    std::array<MotionVector, 8>& vectors) {
  constexpr int kPartition = kPartitionSide / 4;
  const std::array<MotionVector, 8> field = vectors;
  vectors.fill({});
  for (int y = rect.y0; y < rect.y1; y += kPartition) {
    uint32_t changed = 0;  // columns
    for (int j = 0; j < kPartition; ++j) changed |= changes.rows[y - rect.y0 + j];
    for (int x = rect.x0; x < rect.x1; x += kPartition) {
      const int place = (y - rect.y0) / kPartition * 4 + (x - rect.x0) / kPartition;
      const int columns = std::min(kPartition, rect.x1 - x), rows = std::min(kPartition, rect.y1 - y);
      if ((changed >> (x - rect.x0) & 0xF) == 0) continue;
      MotionVector best;
      int least = difference_at(now, then, x * 4, y * 4, columns * 4, rows * 4, best, INT32_MAX) - 64;
      const auto look = [&](const MotionVector& v, int price) {
        if (v == best || least <= price) return false;
        const int sum = price + difference_at(now, then, x * 4, y * 4, columns * 4, rows * 4, v, least - price);
        if (sum >= least) return false;
        least = sum;
        best = v;
        return true;
      };
      if (x > rect.x0) look(vectors[place - 1], 16);
      if (y > rect.y0) look(vectors[place - 4], 16);
      if (own != MotionVector{}) look({own.x * 4, own.y * 4}, 48);
      for (const MotionVector& v : votes) look(v, 48);
      look(field[place], 48);
      if (y > rect.y0 && x + kPartition < rect.x1) look(vectors[place - 3], 48);
      // Downhill from the best, in smaller and smaller steps.
      for (int step = 4; step >= 1; step /= 2) {
        for (int tries = 0; tries < 3; ++tries) {
          const MotionVector from = best;
          bool better = false;
          for (const MotionVector d :
               {MotionVector{-step, 0}, MotionVector{step, 0}, MotionVector{0, -step}, MotionVector{0, step}})
            better |= look({from.x + d.x, from.y + d.y}, 68);
          if (!better) break;
        }
      }
      vectors[place] = best;
    }
  }
}

void search_half_vectors(const BlockRect& rect, const TileChanges& changes, const PixelPlane& now,
                         const PixelPlane& then, const MotionVector& own, std::span<const MotionVector> votes,
                         int price, std::array<MotionVector, 8>& vectors) {
  constexpr int kPartition = kPartitionSide / 4;
  const std::array<MotionVector, 8> field = vectors;
  vectors.fill({});
  for (int y = rect.y0; y < rect.y1; y += kPartition) {
    uint32_t changed = 0;  // columns
    for (int j = 0; j < kPartition && y + j < rect.y1; ++j) changed |= changes.rows[y - rect.y0 + j];
    for (int x = rect.x0; x < rect.x1; x += kPartition) {
      const int place = (y - rect.y0) / kPartition * 4 + (x - rect.x0) / kPartition;
      const int columns = std::min(kPartition, rect.x1 - x), rows = std::min(kPartition, rect.y1 - y);
      if ((changed >> (x - rect.x0) & 0xF) == 0) continue;
      MotionVector best;
      int least = difference_at_halves(now, then, x * 4, y * 4, columns * 4, rows * 4, best, INT32_MAX) - price;
      const auto look = [&](const MotionVector& v, int more) {
        if (v == best || least <= more) return false;
        const int sum = more + difference_at_halves(now, then, x * 4, y * 4, columns * 4, rows * 4, v, least - more);
        if (sum >= least) return false;
        least = sum;
        best = v;
        return true;
      };
      if (x > rect.x0) look(vectors[place - 1], price);
      if (y > rect.y0) look(vectors[place - 4], price);
      if (own != MotionVector{}) look({own.x * 2, own.y * 2}, 3 * price);
      for (const MotionVector& v : votes) look({v.x * 2, v.y * 2}, 3 * price);
      look(field[place], 3 * price);
      if (y > rect.y0 && x + kPartition < rect.x1) look(vectors[place - 3], 3 * price);
      // Downhill from the best, in smaller and smaller steps; halves all round the best at last.
      for (int step = 16; step >= 2; step /= 2) {
        for (int tries = 0; tries < 4; ++tries) {
          const MotionVector from{best.x & ~1, best.y & ~1};
          bool better = false;
          for (const MotionVector d :
               {MotionVector{-step, 0}, MotionVector{step, 0}, MotionVector{0, -step}, MotionVector{0, step}})
            better |= look({from.x + d.x, from.y + d.y}, 4 * price);
          if (!better) break;
        }
      }
      const MotionVector from = best;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (dx != 0 || dy != 0) look({from.x + dx, from.y + dy}, 5 * price);
      vectors[place] = best;
    }
  }
}

}  // namespace texcast::compact
