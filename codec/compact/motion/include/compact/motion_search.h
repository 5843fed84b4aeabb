// motion_search.h — where areas of 16 x 16 pixels come from in the frame before: any distance, where blocks found again
// vote for it, and by search nearby.
//
// Looked for in the first component alone: the encoder's affair, nothing of it is in the stream but the vectors.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "compact/changes.h"
#include "compact/motion_candidates.h"
#include "compact/source_picture.h"
#include "compact/sub_block_index.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// One byte a texel of a component, that of colours being about their luma.
class PixelPlane {
 public:
  PixelPlane() = default;
  explicit PixelPlane(const Component& component);
  // A tile's half-blocks that changed, anew; `rect` is the tile's.
  void update(const Component& component, const std::byte* texture, const BlockRect& rect, const TileChanges& changes);
  // A tile's pixels of a picture, as luma.
  void draw(const SourcePicture& picture, const BlockRect& rect);
  // Those of `rect` as they are in another plane of the same size.
  void take(const PixelPlane& from, const BlockRect& rect);
  int width() const { return width_; }
  int height() const { return height_; }
  std::span<const uint8_t> pixels() const { return pixels_; }
  const uint8_t* row(int y) const { return pixels_.data() + static_cast<size_t>(y) * width_; }

 private:
  int width_ = 0, height_ = 0;
  std::vector<uint8_t> pixels_;
};

// The sum of absolute differences of an area and what lies by a vector beside it, where the edge goes on outside; stops
// counting at `enough`.
int difference_at(const PixelPlane& now, const PixelPlane& then, int x, int y, int width, int height,
                  const MotionVector& v, int enough);

uint32_t hash_of_vector(const MotionVector& v);
// More votes, or as many for a shorter vector.
bool comes_before(const MotionCandidate& a, const MotionCandidate& b);

// Of a tile's votes the two with the most. Never more than half full.
template <uint32_t kSlots>
class CandidateCounter {
 public:
  void count(const MotionVector& step) {
    uint32_t slot = (hash_of_vector(step) >> 16) % kSlots;
    while (counted_[slot].votes > 0 && counted_[slot].blocks != step) slot = (slot + 1) % kSlots;
    counted_[slot].blocks = step;
    ++counted_[slot].votes;
    const MotionCandidate& m = counted_[slot];
    if (m.blocks == most_[0].blocks || comes_before(m, most_[0])) {
      if (m.blocks != most_[0].blocks) most_[1] = most_[0];
      most_[0] = m;
    } else if (m.blocks == most_[1].blocks || comes_before(m, most_[1])) {
      most_[1] = m;
    }
  }
  const MotionCandidates& most() const { return most_; }

 private:
  std::array<MotionCandidate, kSlots> counted_{};
  MotionCandidates most_{};
};

// By what a tile's half-blocks that changed moved: of every second one the first two places are asked where the frame
// before has it, but for those that are as the one left of them. `rect`: the tile's in the component; `places`: the
// component's.
MotionCandidates vote(const Component& component, const BlockRect& rect, const TileChanges& changes,
                      const std::byte* texture, const std::byte* before, const SubBlockIndex& places);

inline constexpr int kMostVotedVectors = 4;
// Vectors that most half-blocks of the changed tiles moved by; in pixels. The order in which tiles are added matters.
class GlobalMotion {
 public:
  void clear() { entries_.fill({}); }
  void add(const MotionCandidate& movement);
  // `pixels`: what a step of the movements that were added is, 4 of half-blocks.
  void finish(int pixels);
  std::span<const MotionVector> vectors() const { return {winners_.data(), winner_count_}; }

 private:
  static constexpr size_t kProbes = 8;
  std::array<MotionCandidate, 256 + kProbes>
      entries_{};  // by hash; where there is no room the one with the fewest goes
  std::array<MotionVector, kMostVotedVectors> winners_{};
  size_t winner_count_ = 0;
};

// Vectors of a tile's areas, four in a row; `vectors` hold those of the frame before, and areas without a change get
// none. `rect`: the tile's in the component of the planes. `own`: by what the tile moved, in blocks, if it has voted
// for anything; `votes`: by what all tiles did.
void search_vectors(const BlockRect& rect, const TileChanges& changes, const PixelPlane& now, const PixelPlane& then,
                    const MotionVector& own, std::span<const MotionVector> votes, std::array<MotionVector, 8>& vectors);

// The same for lossy streams, in half pixels: `then` is what decoders have of the frame before. A vector that is no
// neighbour's has to save `price`; `own`, in pixels, and `votes` as above.
void search_half_vectors(const BlockRect& rect, const TileChanges& changes, const PixelPlane& now,
                         const PixelPlane& then, const MotionVector& own, std::span<const MotionVector> votes,
                         int price, std::array<MotionVector, 8>& vectors);

}  // namespace texcast::compact
