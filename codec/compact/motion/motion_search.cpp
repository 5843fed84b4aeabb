#include "compact/motion_search.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "compact/prediction_block.h"
#include "compact/ranks.h"

namespace texcast::compact {

int sad_at(const PixelPlane& source, const PixelPlane& reference, int x, int y, int width, int height,
           const MotionVector& v, int enough) {
  const int tx = x + v.x, ty = y + v.y;
  int sum = 0;
  if (width == kPartitionSide && tx >= 0 && ty >= 0 && tx + width <= reference.width() &&
      ty + height <= reference.height()) {
    const uint8_t* a = source.row(y) + x;
    const uint8_t* b = reference.row(ty) + tx;
    for (int j = 0; j < height; j += 4) {
      U64x2 sums{};
      for (int i = 0; i < 4; ++i, a += source.width(), b += reference.width())
        sums += sums_of_differences(load_vector<U8x16>(a), load_vector<U8x16>(b));
      sum += static_cast<int>(sums[0] + sums[1]);
      if (sum >= enough) return sum;
    }
    return sum;
  }
  for (int j = 0; j < height; ++j) {
    const uint8_t* a = source.row(y + j);
    const uint8_t* b = reference.row(std::clamp(ty + j, 0, reference.height() - 1));
    for (int i = 0; i < width; ++i) sum += std::abs(a[x + i] - b[std::clamp(tx + i, 0, reference.width() - 1)]);
    if (sum >= enough) return sum;
  }
  return sum;
}

namespace {

// sad_at() at a vector in half pixels, by bilinear interpolation. The mean of four pixels is that of two rounded means.
int half_pel_sad_at(const PixelPlane& source, const PixelPlane& reference, int x, int y, int width, int height,
                    const MotionVector& v, int enough) {
  const int right = v.x & 1, down = v.y & 1;
  if (right + down == 0) return sad_at(source, reference, x, y, width, height, {v.x >> 1, v.y >> 1}, enough);
  const int tx = x + (v.x >> 1), ty = y + (v.y >> 1);
  int sum = 0;
  if (width == kPartitionSide && tx >= 0 && ty >= 0 && tx + right + width <= reference.width() &&
      ty + down + height <= reference.height()) {
    for (int j = 0; j < height; ++j) {
      const uint8_t* upper = reference.row(ty + j) + tx;
      const uint8_t* lower = reference.row(ty + j + down) + tx;
      U8x16 mean;
      if (right + down == 2)
        mean = average(average(load_vector<U8x16>(upper), load_vector<U8x16>(upper + 1)),
                       average(load_vector<U8x16>(lower), load_vector<U8x16>(lower + 1)));
      else
        mean = average(load_vector<U8x16>(upper), load_vector<U8x16>(lower + right));
      const U64x2 sums = sums_of_differences(load_vector<U8x16>(source.row(y + j) + x), mean);
      sum += static_cast<int>(sums[0] + sums[1]);
      if (sum >= enough) return sum;
    }
    return sum;
  }
  const auto at = [&](int px, int py) {
    return int{reference.row(std::clamp(py, 0, reference.height() - 1))[std::clamp(px, 0, reference.width() - 1)]};
  };
  const auto mean = [](int a, int b) { return (a + b + 1) >> 1; };
  for (int j = 0; j < height; ++j) {
    for (int i = 0; i < width; ++i) {
      const int px = tx + i, py = ty + j;
      const int value = right + down == 2
                            ? mean(mean(at(px, py), at(px + 1, py)), mean(at(px, py + 1), at(px + 1, py + 1)))
                            : mean(at(px, py), at(px + right, py + down));
      sum += std::abs(source.row(y + j)[x + i] - value);
    }
    if (sum >= enough) return sum;
  }
  return sum;
}

U8x16 values_of(const ReferenceComponent& picture, int x, int y) {
  PredictionBlock<ChannelSubBlock> window;
  window.load(picture, x * 4, y * 4);
  return window.texels();
}

// Approximately the luma. Between the end points it is interpolated as the colours are, apart from rounding.
U8x16 shades_of(const ReferenceComponent& picture, int x, int y) {
  const uint64_t sub_block = picture.sub_block(x, y);
  const uint32_t ends = ends_of<ColorSubBlock>(sub_block);
  const auto colors = ColorSubBlock::colors(ends);
  const auto luma = [](const std::array<int, 3>& c) { return c[0] + 2 * c[1] + c[2]; };
  const int first = luma(colors[0]), second = luma(colors[1]);
  const bool full = ColorSubBlock::full(picture.component().kind, ends);
  const int levels[4] = {first / 4, full ? (2 * first + second) / 12 : (first + second) / 8,
                         full ? (first + 2 * second) / 12 : second / 4, full ? second / 4 : 0};
  const U8x16 level = level_vector<ColorSubBlock>(sub_block, full);
  U8x16 shades{};
  for (int l = 0; l < 4; ++l) shades |= reinterpret_cast<U8x16>(level == filled(l)) & filled(levels[l]);
  return shades;
}

}  // namespace

uint32_t hash_of_vector(const MotionVector& v) {
  return (static_cast<uint32_t>(v.x) * 0x9E3779B1u ^ static_cast<uint32_t>(v.y)) * 0x85EBCA6Bu;
}

bool comes_before(const MotionCandidate& a, const MotionCandidate& b) {
  const auto length = [](const MotionVector& v) { return std::abs(v.x) + std::abs(v.y); };
  if (a.matches != b.matches) return a.matches > b.matches;
  if (length(a.vector) != length(b.vector)) return length(a.vector) < length(b.vector);
  return a.vector.y != b.vector.y ? a.vector.y < b.vector.y : a.vector.x < b.vector.x;
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

void PixelPlane::draw(const FilmSource& film, const BlockRect& rect) {
  film.read_luma(rect, pixels_.data() + static_cast<size_t>(rect.y0) * 4 * static_cast<size_t>(width_) + rect.x0 * 4,
                 static_cast<size_t>(width_));
}

void PixelPlane::take(const PixelPlane& from, const BlockRect& rect) {
  for (int y = rect.y0 * 4; y < rect.y1 * 4; ++y) {
    const size_t at = static_cast<size_t>(y) * width_ + rect.x0 * 4;
    std::memcpy(pixels_.data() + at, from.pixels_.data() + at, static_cast<size_t>(rect.width()) * 4);
  }
}

MotionCandidates find_candidates(const Component& component, const BlockRect& rect, const TileChanges& changes,
                                 const std::byte* texture, const std::byte* reference, const SubBlockIndex& index) {
  constexpr uint32_t kMostMatches = 2;
  // At most half of a tile's sub-blocks are samples, so that at most half of the slots are used.
  constexpr uint32_t kSlots = 2 * kMostMatches * kMostSliceColumns * kMostSliceRows / 2;
  CandidateCounter<kSlots> counter;
  struct Sample {
    uint64_t sub_block;
    int x, y;
  };
  std::array<Sample, kMostSliceColumns * kMostSliceRows / 2> samples;
  size_t sample_count = 0;
  for (int y = rect.y0; y < rect.y1; ++y) {
    const uint32_t sampled = y % 2 == 0 ? 0x5555 : 0xAAAA;
    for_each_bit(changes.rows[y - rect.y0] & sampled, [&](int column) {
      const int x = rect.x0 + column;
      const uint64_t sub_block = load_sub_block(texture + component.at(x, y));
      if (column > 0 && load_sub_block(texture + component.at(x - 1, y)) == sub_block) return;  // not distinctive
      index.prefetch(sub_block);
      samples[sample_count++] = {sub_block, x, y};
    });
  }
  for (const Sample& sample : std::span(samples).first(sample_count)) {
    uint32_t found = 0;
    index.find(sample.sub_block, [&](int px, int py) {
      if (found == kMostMatches || load_sub_block(reference + component.at(px, py)) != sample.sub_block) return;
      counter.count({px - sample.x, py - sample.y});
      ++found;
    });
  }
  return counter.most();
}

void GlobalMotion::add(const MotionCandidate& candidate) {
  if (candidate.matches == 0) return;
  MotionCandidate* weakest = nullptr;
  for (size_t i = 0; i < kProbes; ++i) {
    MotionCandidate& entry = entries_[(hash_of_vector(candidate.vector) >> 24) + i];
    if (entry.matches == 0 || entry.vector == candidate.vector) {
      entry = {candidate.vector, entry.matches + candidate.matches};
      return;
    }
    if (weakest == nullptr || entry.matches < weakest->matches) weakest = &entry;
  }
  if (weakest->matches <= candidate.matches) *weakest = candidate;
}

void GlobalMotion::finish(int pixels) {
  constexpr uint32_t kLeastMatches = 4;
  winner_count_ = 0;
  while (winner_count_ < winners_.size()) {
    const auto most = std::ranges::max_element(entries_, {}, &MotionCandidate::matches);
    if (most->matches < kLeastMatches) break;
    winners_[winner_count_++] = {most->vector.x * pixels, most->vector.y * pixels};
    most->matches = 0;
  }
}

void search_vectors(const BlockRect& rect, const TileChanges& changes, const PixelPlane& source,
                    const PixelPlane& reference, const MotionVector& own, std::span<const MotionVector> global,
                    std::array<MotionVector, 8>& vectors) {
  constexpr int kPartition = kPartitionSide / 4;
  const std::array<MotionVector, 8> previous_vectors = vectors;
  vectors.fill({});
  for (int y = rect.y0; y < rect.y1; y += kPartition) {
    uint32_t changed = 0;  // columns
    for (int j = 0; j < kPartition; ++j) changed |= changes.rows[y - rect.y0 + j];
    for (int x = rect.x0; x < rect.x1; x += kPartition) {
      const int partition = (y - rect.y0) / kPartition * 4 + (x - rect.x0) / kPartition;
      const int columns = std::min(kPartition, rect.x1 - x), rows = std::min(kPartition, rect.y1 - y);
      if ((changed >> (x - rect.x0) & 0xF) == 0) continue;
      MotionVector best;
      int least_cost = sad_at(source, reference, x * 4, y * 4, columns * 4, rows * 4, best, INT32_MAX) - 64;
      const auto try_vector = [&](const MotionVector& v, int vector_cost) {
        if (v == best || least_cost <= vector_cost) return false;
        const int sum =
            vector_cost + sad_at(source, reference, x * 4, y * 4, columns * 4, rows * 4, v, least_cost - vector_cost);
        if (sum >= least_cost) return false;
        least_cost = sum;
        best = v;
        return true;
      };
      if (x > rect.x0) try_vector(vectors[partition - 1], 16);
      if (y > rect.y0) try_vector(vectors[partition - 4], 16);
      if (own != MotionVector{}) try_vector({own.x * 4, own.y * 4}, 48);
      for (const MotionVector& v : global) try_vector(v, 48);
      try_vector(previous_vectors[partition], 48);
      if (y > rect.y0 && x + kPartition < rect.x1) try_vector(vectors[partition - 3], 48);
      // Local search around the best vector in a cross, with decreasing steps.
      for (int step = 4; step >= 1; step /= 2) {
        for (int tries = 0; tries < 3; ++tries) {
          const MotionVector from = best;
          bool is_better = false;
          for (const MotionVector d :
               {MotionVector{-step, 0}, MotionVector{step, 0}, MotionVector{0, -step}, MotionVector{0, step}})
            is_better |= try_vector({from.x + d.x, from.y + d.y}, 68);
          if (!is_better) break;
        }
      }
      vectors[partition] = best;
    }
  }
}

void search_block_vectors(const Component& component, const BlockRect& rect, const TileChanges& changes,
                          const std::byte* texture, const std::byte* reference, const MotionVector& own,
                          std::span<const MotionVector> global, std::array<MotionVector, 8>& vectors) {
  constexpr int kPartition = kPartitionSide / 4;
  const std::array<MotionVector, 8> previous_vectors = vectors;
  const ReferenceComponent referenced(reference, component);
  vectors.fill({});
  for (int y = rect.y0; y < rect.y1; y += kPartition) {
    for (int x = rect.x0; x < rect.x1; x += kPartition) {
      const int partition = (y - rect.y0) / kPartition * 4 + (x - rect.x0) / kPartition;
      const int end_x = std::min(x + kPartition, rect.x1), end_y = std::min(y + kPartition, rect.y1);
      const auto matches_at = [&](const MotionVector& v) {
        int matches = 0;
        for (int j = y; j < end_y; ++j)
          for (int i = x; i < end_x; ++i) {
            const int bx = i + v.x / 4, by = j + v.y / 4;
            matches +=
                referenced.has(bx, by) && referenced.sub_block(bx, by) == load_sub_block(texture + component.at(i, j));
          }
        return matches;
      };
      uint32_t changed = 0;  // columns
      for (int j = y; j < end_y; ++j) changed |= changes.rows[j - rect.y0];
      if ((changed >> (x - rect.x0) & 0xF) == 0) continue;
      MotionVector best;
      int most = matches_at(best);
      // A vector has to save more than it costs, `least` sub-blocks.
      const auto try_vector = [&](const MotionVector& v, int least) {
        if (v == best || most == (end_x - x) * (end_y - y)) return;
        const int matches = matches_at(v);
        if (matches < most + least) return;
        most = matches;
        best = v;
      };
      if (x > rect.x0) try_vector(vectors[partition - 1], 1);
      if (y > rect.y0) try_vector(vectors[partition - 4], 1);
      if (own != MotionVector{}) try_vector({own.x * 4, own.y * 4}, 2);
      for (const MotionVector& v : global) try_vector(v, 2);
      try_vector(previous_vectors[partition], 2);
      vectors[partition] = best;
    }
  }
}

void search_half_pel_vectors(const BlockRect& rect, const TileChanges& changes, const PixelPlane& source,
                             const PixelPlane& reference, const MotionVector& own, std::span<const MotionVector> global,
                             const TileVectors& matched, int vector_cost, bool is_coarse, TileVectors& vectors) {
  constexpr int kPartition = kPartitionSide / 4;
  constexpr int kMatchedCost = 24;  // no other partition has the vector; with less, films need more bits
  const TileVectors previous_vectors = vectors;
  vectors.fill({});
  for (int y = rect.y0; y < rect.y1; y += kPartition) {
    uint32_t changed = 0;  // columns
    for (int j = 0; j < kPartition && y + j < rect.y1; ++j) changed |= changes.rows[y - rect.y0 + j];
    for (int x = rect.x0; x < rect.x1; x += kPartition) {
      const int partition = (y - rect.y0) / kPartition * 4 + (x - rect.x0) / kPartition;
      const int columns = std::min(kPartition, rect.x1 - x), rows = std::min(kPartition, rect.y1 - y);
      if ((changed >> (x - rect.x0) & 0xF) == 0) continue;
      MotionVector best;
      int least_cost =
          half_pel_sad_at(source, reference, x * 4, y * 4, columns * 4, rows * 4, best, INT32_MAX) - vector_cost;
      const auto try_vector = [&](const MotionVector& v, int more) {
        if (v == best || least_cost <= more) return false;
        const int sum =
            more + half_pel_sad_at(source, reference, x * 4, y * 4, columns * 4, rows * 4, v, least_cost - more);
        if (sum >= least_cost) return false;
        least_cost = sum;
        best = v;
        return true;
      };
      if (x > rect.x0) try_vector(vectors[partition - 1], vector_cost);
      if (y > rect.y0) try_vector(vectors[partition - 4], vector_cost);
      if (own != MotionVector{}) try_vector({own.x * 2, own.y * 2}, 3 * vector_cost);
      for (const MotionVector& v : global) try_vector({v.x * 2, v.y * 2}, 3 * vector_cost);
      try_vector(previous_vectors[partition], 3 * vector_cost);
      if (y > rect.y0 && x + kPartition < rect.x1) try_vector(vectors[partition - 3], 3 * vector_cost);
      if (const MotionVector& v = matched[partition]; v != MotionVector{})
        try_vector({v.x * 2, v.y * 2}, kMatchedCost * vector_cost);
      // Local search around the best vector in a cross, with decreasing steps; then its eight half-pel neighbours.
      for (int step = 16; step >= 2; step /= 2) {
        for (int tries = 0; tries < 4; ++tries) {
          const MotionVector from{best.x & ~1, best.y & ~1};
          bool is_better = false;
          for (const MotionVector d :
               {MotionVector{-step, 0}, MotionVector{step, 0}, MotionVector{0, -step}, MotionVector{0, step}})
            is_better |= try_vector({from.x + d.x, from.y + d.y}, 4 * vector_cost);
          if (!is_better) break;
        }
      }
      const MotionVector from = best;
      for (int dy = -1; dy <= 1 && !is_coarse; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (dx != 0 || dy != 0) try_vector({from.x + dx, from.y + dy}, 5 * vector_cost);
      vectors[partition] = best;
    }
  }
}

}  // namespace texcast::compact
