// coding_choice.h — which coding a lossy tile gets: that of blocks, or of macroblocks with a transformed residual.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compact/coding_attempt.h"
#include "compact/rd_parameters.h"
#include "compact/tile_grid.h"
#include "content_guess.h"
#include "transform_source.h"

namespace texcast::compact {

// The coding that had the lower D + lambda R is kept for some frames. Then, or when the tile's bytes change much, both
// are tried again.
class CodingChoice {
 public:
  // `frame` and `tile` stagger the attempts, so that no frame has many more than others.
  bool is_due(uint32_t frame, uint32_t tile) const { return !is_known_ || is_due_ || (frame + tile) % kFrames == 0; }
  bool is_known() const { return is_known_; }
  CodingAttempt kept() const { return is_transform_ ? CodingAttempt::transform : CodingAttempt::blocks; }
  // `bytes`: of the slice.
  void keep(bool is_transform, bool intra, size_t bytes) {
    const auto coded = static_cast<uint32_t>(bytes);
    is_due_ = is_known_ && intra == is_intra_ && (coded > kMuch * bytes_ + kFew || bytes_ > kMuch * coded + kFew);
    is_known_ = true;
    is_transform_ = is_transform;
    is_intra_ = intra;
    bytes_ = coded;
  }

 private:
  static constexpr uint32_t kFrames = 8, kMuch = 2, kFew = 16;

  bool is_known_ = false, is_due_ = false, is_transform_ = false, is_intra_ = false;
  uint32_t bytes_ = 0;
};

// The attempts that pay for a tile of this content.
CodingAttempt worthwhile_attempt(const ContentCounts& counts);
// The attempt for a tile, whose contents are counted in `texture` if it is due. The grid can_transform().
CodingAttempt next_attempt(const CodingChoice& choice, const TileGrid& grid, uint32_t tile, const std::byte* texture,
                           uint32_t frame, const SearchEffort& effort);

// D + lambda R of a slice that was coded in so many bytes, with the errors of its blocks in `texture`. `weights`: those
// of lambda for each partition; empty: all full.
int64_t coding_score(const TileGrid& grid, const Slice& slice, const TransformSource& source, const std::byte* texture,
                     int lambda, std::span<const uint8_t> weights, size_t bytes);

}  // namespace texcast::compact
