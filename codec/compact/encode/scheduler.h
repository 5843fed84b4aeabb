// scheduler.h — decides which tiles of a frame are coded, and how. A tile is dirty if it changed, if it must be intra,
// or if its quality still ramps up. A dirty tile can be deferred to a later frame, for lack of time or of bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "compact/coded_slice.h"
#include "compact/frame_encoder.h"
#include "compact/rd_parameters.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Not thread-safe, except for calls about different tiles.
class Scheduler {
 public:
  explicit Scheduler(const TileGrid& grid);

  // Begins a frame. Without a reference every tile is intra, and stays so until it is coded. `frame` stays valid until
  // end().
  void begin(const FrameToEncode& frame, bool has_reference);
  // The next frame begins as the first one does.
  void forget();
  // Like begin() without a reference, in the middle of a frame. Allowed while nothing of the frame is coded.
  void lose_reference();

  // Tiles that may differ from the previous texture; the others need not be compared.
  bool may_have_changed(uint32_t tile) const {
    return !has_reference_ || frame_->changed.empty() || frame_->changed[tile] != 0 || is_deferred(tile);
  }
  std::span<const uint32_t> tiles_to_compare();
  // Then call it for each tile, with the result. Tiles that did not change are no longer deferred.
  void set_changed(uint32_t tile, bool has_changed) {
    changed_[tile] = has_changed ? 1 : 0;
    if (!has_changed) deferred_[tile] = 0;  // it equals again what was coded last
  }
  // Then call it once. It lists the dirty tiles.
  void list_tiles();

  bool has_changed(uint32_t tile) const { return changed_[tile] != 0; }
  // Whether intra refresh is pending, or FrameToEncode::intra requests it.
  bool is_intra(uint32_t tile) const {
    return !has_reference_ || pending_intra_[tile] != 0 || (!frame_->intra.empty() && frame_->intra[tile] != 0);
  }
  // The tile is unchanged, and is coded once more at a better quality.
  bool is_refined(uint32_t tile) const { return changed_[tile] == 0 && !is_intra(tile) && can_ramp_up(tile); }
  bool is_dirty(uint32_t tile) const { return changed_[tile] != 0 || is_intra(tile) || is_refined(tile); }
  bool is_deferred(uint32_t tile) const { return deferred_[tile] != 0; }
  bool is_to_be_coded(uint32_t tile) const { return is_dirty(tile) && !is_deferred(tile); }
  std::span<const uint32_t> changed() const { return changed_tiles_; }
  std::span<const uint32_t> dirty() const { return dirty_tiles_; }
  uint32_t place_in_dirty(uint32_t tile) const { return place_in_dirty_[tile]; }

  void defer(uint32_t tile, bool is_deferred = true) { deferred_[tile] = is_deferred ? 1 : 0; }
  uint8_t frames_deferred(uint32_t tile) const { return frames_deferred_[tile]; }
  // Defers all dirty tiles except the `most` most urgent. Intra tiles come first, then changed ones, among these the
  // ones that have waited longest. Otherwise the lower part of the picture would wait for ever.
  void limit(size_t most);

  // Receivers may have the tile wrong.
  bool may_be_wrong(uint32_t tile) const { return !frame_->wrong.empty() && frame_->wrong[tile] != 0; }
  // Whether `tile` must not reference those tiles: receivers may have one of them wrong, or one of them is about to be
  // refreshed, but only after this frame.
  bool is_unreliable(uint32_t tile, const ReferencedTiles& referenced) const;

  // The RD parameters that a tile was coded with last, and whether it is film: before refinements it was a transform
  // slice. Films stand still for a frame now and then: their quality ramps up later than that of other tiles, and less.
  const RdParameters& quality(uint32_t tile) const { return quality_[tile]; }
  void set_quality(uint32_t tile, const RdParameters& quality, bool is_film) {
    quality_[tile] = quality;
    is_film_[tile] = is_film ? 1 : 0;
  }
  bool is_film(uint32_t tile) const { return is_film_[tile] != 0; }
  // The lambda at which the quality ramp of a tile ends; 0: it has none.
  int finest_lambda(uint32_t tile) const {
    const int finest = frame_->target ? frame_->target->finest : 0;
    return finest > 0 && is_film_[tile] != 0 ? std::max(finest, finest_of_film_) : finest;
  }
  // An unchanged tile then keeps its quality.
  void end_quality_ramp(uint32_t tile) { quality_[tile].lambda = 0; }

  // Records the result of the frame for a tile. Its quality is set after that.
  void end_tile(uint32_t tile);
  // Whether the next frame codes something even if the picture does not change.
  bool is_waiting() const;

 private:
  bool is_below_finest(uint32_t tile) const {
    const int finest = finest_lambda(tile);
    return finest > 0 && quality_[tile].lambda > finest;
  }
  bool can_ramp_up(uint32_t tile) const {
    constexpr uint8_t kStillFramesOfFilm = 10;
    return is_below_finest(tile) && (is_film_[tile] == 0 || still_frames_[tile] >= kStillFramesOfFilm);
  }
  uint32_t tiles() const { return static_cast<uint32_t>(changed_.size()); }

  const FrameToEncode* frame_ = nullptr;
  bool has_reference_ = false;
  bool is_any_unreliable_ = false;  // false: no tile of the reference is unreliable
  std::vector<uint8_t> changed_, deferred_, frames_deferred_, pending_intra_;  // of each tile
  std::vector<uint8_t> is_film_, still_frames_;  // the frames before this one in which the tile did not change
  const int finest_of_film_;
  std::vector<RdParameters> quality_;
  std::vector<uint32_t> changed_tiles_, dirty_tiles_, compared_, order_;
  std::vector<uint32_t> place_in_dirty_;  // of each dirty tile
};

}  // namespace texcast::compact
