// motion_search.h — motion estimation for partitions of 16 x 16 pixels: candidates at any distance, which hash-based
// search finds, and a local search by the sum of absolute differences (SAD).
//
// It looks at the first component only. The decoder does not depend on it: the stream has only the vectors.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "compact/changes.h"
#include "compact/film_source.h"
#include "compact/motion_candidates.h"
#include "compact/source_picture.h"
#include "compact/sub_block_index.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// A byte for each texel of a component. For colours it is approximately the luma.
class PixelPlane {
 public:
  PixelPlane() = default;
  explicit PixelPlane(const Component& component);
  // Decodes a tile's changed sub-blocks. `rect` is the tile's.
  void update(const Component& component, const std::byte* texture, const BlockRect& rect, const TileChanges& changes);
  // Copies the luma of a tile's pixels.
  void draw(const SourcePicture& picture, const BlockRect& rect);
  void draw(const FilmSource& film, const BlockRect& rect);
  // Copies the blocks of `rect` from another plane of the same size.
  void take(const PixelPlane& from, const BlockRect& rect);
  int width() const { return width_; }
  int height() const { return height_; }
  std::span<const uint8_t> pixels() const { return pixels_; }
  const uint8_t* row(int y) const { return pixels_.data() + static_cast<size_t>(y) * width_; }

 private:
  int width_ = 0, height_ = 0;
  std::vector<uint8_t> pixels_;
};

// The SAD of a partition and the reference at a vector. Pixels at the edge are repeated outside. Stops early at a sum
// of at least `enough`.
int sad_at(const PixelPlane& source, const PixelPlane& reference, int x, int y, int width, int height,
           const MotionVector& v, int enough);

uint32_t hash_of_vector(const MotionVector& v);
// The order of MotionCandidates.
bool comes_before(const MotionCandidate& a, const MotionCandidate& b);

// Counts the vectors at which samples match, and keeps the best two. kSlots is at least twice the number of vectors.
template <uint32_t kSlots>
class CandidateCounter {
 public:
  void count(const MotionVector& vector) {
    uint32_t slot = (hash_of_vector(vector) >> 16) % kSlots;
    while (counted_[slot].matches > 0 && counted_[slot].vector != vector) slot = (slot + 1) % kSlots;
    counted_[slot].vector = vector;
    ++counted_[slot].matches;
    const MotionCandidate& m = counted_[slot];
    if (m.vector == most_[0].vector || comes_before(m, most_[0])) {
      if (m.vector != most_[0].vector) most_[1] = most_[0];
      most_[0] = m;
    } else if (m.vector == most_[1].vector || comes_before(m, most_[1])) {
      most_[1] = m;
    }
  }
  const MotionCandidates& most() const { return most_; }

 private:
  std::array<MotionCandidate, kSlots> counted_{};
  MotionCandidates most_{};
};

// Finds motion candidates for a tile of a lossless stream. Every second changed sub-block is a sample, unless it equals
// its left neighbour, and up to two positions where the reference frame has the same bytes count as its matches. `rect`
// is the tile's in the component, `index` the component's.
MotionCandidates find_candidates(const Component& component, const BlockRect& rect, const TileChanges& changes,
                                 const std::byte* texture, const std::byte* reference, const SubBlockIndex& index);

inline constexpr int kMostGlobalVectors = 4;
// The vectors with the most matches in all changed tiles. The result depends on the order in which candidates are
// added.
class GlobalMotion {
 public:
  void clear() { entries_.fill({}); }
  void add(const MotionCandidate& candidate);
  // `pixels` is the unit of the candidates' vectors: 4 for sub-blocks, 1 for pixels.
  void finish(int pixels);
  // In pixels, the best first.
  std::span<const MotionVector> vectors() const { return {winners_.data(), winner_count_}; }

 private:
  static constexpr size_t kProbes = 8;
  std::array<MotionCandidate, 256 + kProbes>
      entries_{};  // by hash; if there is no room, the one with the fewest matches is replaced
  std::array<MotionVector, kMostGlobalVectors> winners_{};
  size_t winner_count_ = 0;
};

// Searches the vectors of a tile's partitions, in pixels. `vectors` has those of the previous frame before the call;
// partitions without a change get zero. `rect` is the tile's in the component of the planes. `own` is the tile's best
// candidate in sub-blocks, or zero, and `global` has those of the frame in pixels.
void search_vectors(const BlockRect& rect, const TileChanges& changes, const PixelPlane& source,
                    const PixelPlane& reference, const MotionVector& own, std::span<const MotionVector> global,
                    std::array<MotionVector, 8>& vectors);

// The same for a component of opaque sub-blocks, in whole blocks: the vectors at which the most changed sub-blocks
// equal those of the reference frame.
void search_block_vectors(const Component& component, const BlockRect& rect, const TileChanges& changes,
                          const std::byte* texture, const std::byte* reference, const MotionVector& own,
                          std::span<const MotionVector> global, std::array<MotionVector, 8>& vectors);

// As search_vectors() for lossy streams, with `vectors` in half pixels and `own` in pixels. `reference` is the decoded
// previous frame. `matched` has a candidate for each partition, in pixels (WindowMatches). Costs are SADs plus a
// multiple of `vector_cost` that depends on how the vector is coded. `is_coarse`: half pixels are not searched, as
// macroblocks search around these vectors again.
void search_half_pel_vectors(const BlockRect& rect, const TileChanges& changes, const PixelPlane& source,
                             const PixelPlane& reference, const MotionVector& own, std::span<const MotionVector> global,
                             const TileVectors& matched, int vector_cost, bool is_coarse, TileVectors& vectors);

}  // namespace texcast::compact
