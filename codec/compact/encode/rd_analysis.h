// rd_analysis.h — analysis of a lossy frame by CPU: what changed, the picture's luma, motion candidates, motion vectors
// and complexity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compact/changes.h"
#include "compact/encoder_backend.h"
#include "compact/motion_search.h"
#include "compact/source_picture.h"
#include "compact/window_index.h"
#include "frame_state.h"

namespace texcast::compact {

// Calls about different tiles may be made at the same time.
class RdAnalysis {
 public:
  explicit RdAnalysis(const FrameState& state);

  // Of a tile that may have changed, or of one that cannot have.
  TileDifference find_changes(uint32_t tile, bool may_have_changed);

  // Whether lossy coding approximates the frame's picture, or else what its blocks decode to.
  bool has_picture() const { return state_.input.picture != nullptr && picture_.width() > 0; }
  const SourcePicture* picture() const { return has_picture() ? &picture_ : nullptr; }
  // Draws a tile of the picture, or of the texture.
  void draw(uint32_t tile);

  MotionCandidates candidates(uint32_t tile) const;
  TileComplexity complexity(const TileToMeasure& tile) const;
  // `vectors`: those of the previous frame before, and of this one after.
  void search(uint32_t tile, int vector_cost, TileVectors& vectors) const;
  LambdaWeights weights(uint32_t tile, int lambda, const TileVectors& vectors) const;

  // The tile was coded from this frame's source, which the next frame is compared with.
  void keep_source(uint32_t tile);
  // The reference frame has changed in a tile.
  void update_reference(uint32_t tile);
  // Of the changed tiles the windows of one of WindowIndex's ways.
  void index_windows(std::span<const uint32_t> changed, int way);

  // For a backend, which goes on from here. `chroma` keeps what the state points to.
  EncoderState encoder_state(bool is_picture_complete, std::vector<int16_t>& chroma) const;

 private:
  const FrameState& state_;
  std::vector<std::byte> previous_source_;    // the previous texture as the block encoder made it
  std::vector<TileChanges> changes_;          // of each tile, one for each component
  SourcePicture picture_;                     // of unchanged tiles as in the previous frames
  PixelPlane source_, previous_, reference_;  // luma: of the frame, of the previous one, of its reconstruction
  WindowIndex windows_;                       // of previous_
};

}  // namespace texcast::compact
