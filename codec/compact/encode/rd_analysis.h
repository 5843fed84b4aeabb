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

// Thread-safe for calls about different tiles.
class RdAnalysis {
 public:
  explicit RdAnalysis(const FrameState& state);

  // Compares a tile with the previous texture, if it may have changed.
  TileDifference find_changes(uint32_t tile, bool may_have_changed);

  // Whether lossy coding approximates the frame's picture; else it approximates the decoded blocks.
  bool has_picture() const { return state_.input.picture != nullptr && picture_.width() > 0; }
  const SourcePicture* picture() const { return has_picture() ? &picture_ : nullptr; }
  // Draws a tile of the picture, or of the texture.
  void draw(uint32_t tile);
  // In place of it, if only transform slices are coded from `film`: the tile's luma. The picture stays as it was.
  void draw(uint32_t tile, const FilmSource& film) { source_.draw(film, state_.first_blocks(tile)); }

  // Also finds the windows for index_windows().
  WindowMatches matches(uint32_t tile);
  // In place of matches(), if motion is not searched by hash. The tile's windows are not found later either.
  WindowMatches no_matches(uint32_t tile) {
    tile_windows_[tile].clear();
    return {};
  }
  TileComplexity complexity(const TileToMeasure& tile) const;
  // `vectors`: the input is those of the previous frame, the output those of this one.
  void search(uint32_t tile, int vector_cost, bool is_coarse, TileVectors& vectors) const;
  LambdaWeights weights(uint32_t tile, int lambda, const TileVectors& vectors) const;

  // The tile was coded from this frame's source, with which the next frame is compared.
  void keep_source(uint32_t tile);
  // Call it for a tile in which the reference frame has changed.
  void update_reference(uint32_t tile);
  // Indexes the windows of the changed tiles, after their candidates(), for one of WindowIndex's ways.
  void index_windows(std::span<const uint32_t> changed, int way);

  // The state with which a backend continues. `chroma` keeps memory to which the state refers.
  EncoderState encoder_state(bool is_picture_complete, std::vector<int16_t>& chroma) const;

 private:
  const FrameState& state_;
  std::vector<std::byte> previous_source_;    // the previous texture as it came from the block encoder
  std::vector<TileChanges> changes_;          // of each tile, one for each component
  SourcePicture picture_;                     // unchanged tiles are as in earlier frames
  PixelPlane source_, previous_, reference_;  // luma: of the frame, of the previous one, of its reconstruction
  WindowIndex windows_;                       // of previous_
  std::vector<TileWindows> tile_windows_;     // of each changed tile of the frame
};

}  // namespace texcast::compact
