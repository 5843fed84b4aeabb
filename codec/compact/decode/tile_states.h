// tile_states.h — which tiles of the decoded texture are correct, from frame to frame (docs/compact.md, "What a decoder
// does"). A tile is right, unsure or wrong. It is unsure after the loss of a payload that may have coded it, until a
// later frame's history (ChangeHistory) says whether that payload did.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compact/frame_decoder.h"
#include "compact/payload.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

class TileStates {
 public:
  explicit TileStates(const TileGrid& grid);

  // A byte for each tile, not 0 if it is so. An unsure tile is not right.
  std::span<const uint8_t> right() const { return right_; }
  std::span<const uint8_t> unsure() const { return unsure_; }
  // As right() was when the frame began.
  std::span<const uint8_t> reference_right() const { return reference_right_; }
  bool is_row_right(int row) const;

  void lose();
  void lose_row(int row);
  // A tile of the reference frame is found to be wrong. Allowed between begin() and the frame's outcome.
  void lose_in_reference(uint32_t tile) { right_[tile] = reference_right_[tile] = unsure_[tile] = 0; }

  // A frame begins, `frames_missing` frames after the previous one. `history` is the frame's; nullptr: it has none.
  void begin(uint64_t frames_missing, const ChangeHistory* history);
  // The frame's outcome for a tile. Tiles that neither is called for were skipped and stay as they are.
  void set_missing(uint32_t tile);
  void set_coded(uint32_t tile, bool is_right);
  void set_wrong(uint32_t tile) { right_[tile] = 0; }
  void count(DecodedCounts& counts) const;

 private:
  void resolve_unsure(uint64_t frames_missing, const ChangeHistory* history);
  void skip_frames(uint64_t frames, const ChangeHistory* history);

  const TileGrid& grid_;
  std::vector<uint8_t> right_, reference_right_;
  std::vector<uint8_t> unsure_;      // 1 + the number of frames since that of the loss; 0: the tile is not unsure
  std::vector<uint8_t> changed_in_;  // bit i: the frame i + 1 before this one changed the tile
};

}  // namespace texcast::compact
