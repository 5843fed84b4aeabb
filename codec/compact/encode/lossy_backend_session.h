// lossy_backend_session.h — a lossy encoder's chooser from frame to frame: what it is told of the frame before, and
// what it found and chose of the one at hand.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compact/lossy_backend.h"
#include "compact/tile_grid.h"

namespace texcast::compact {

// Nobody chooses before take_over() and after retire(). What a retired one found and chose stays until the next frame.
// Calls of the chooser throw what it throws.
class LossyBackendSession {
 public:
  void take_over(std::unique_ptr<LossyBackend> chooser, const TileGrid& grid);
  void retire() { retired_ = std::move(chooser_); }
  bool is_on() const { return chooser_ != nullptr; }

  // Of the frame that is encoded: what decoders have of a tile from now on. `is_given`: it was drawn for it.
  // `is_as_chosen`: as the chooser has it.
  void tell(uint32_t tile, bool is_given, bool is_as_chosen) {
    if (!told_of_.empty()) told_of_[tile] = {.is_told = true, .is_given = is_given, .is_as_chosen = is_as_chosen};
  }
  // Nothing is known of the frame at hand yet.
  void begin_frame();
  bool is_started() const { return is_started_; }
  void start(const LossyBackendState& state, Workers& workers);
  // `frame`: all but the lists of what was told.
  void begin(LossyBackendFrame frame);
  TileDifference difference(uint32_t tile) const { return differences_[tile]; }
  void draw(const FrameView* picture, std::span<const uint32_t> drawn, std::span<const uint32_t> changed) {
    moved_ = chooser_->draw(picture, drawn, changed);
  }
  std::span<const MotionCandidates> moved() const { return moved_; }  // of the tiles that changed
  std::span<const TileComplexity> details(std::span<const TileToMeasure> tiles, std::span<const MotionVector> votes) {
    return chooser_->details(tiles, votes);
  }
  void choose(std::span<const TileToEncode> tiles, std::span<const MotionVector> votes) {
    chooser_->choose(tiles, votes);
  }
  // `tiles`: as they were asked for.
  void take_chosen(std::span<const TileToEncode> tiles);
  // They are chosen once more.
  void forget_chosen(std::span<const uint32_t> tiles);
  bool has_found(uint32_t tile) const { return is_found_[tile] != 0; }
  // Its symbols too.
  bool has_chosen(uint32_t tile) const { return !is_found_.empty() && is_found_[tile] == 2; }
  // Of the batch taken last.
  const EncodedTile& chosen(uint32_t tile) const { return chosen_.tiles[place_in_batch_[tile]]; }
  const std::byte* texture() const { return chosen_.texture.data(); }

  // Texels are fetched for a batch, where its symbols are not enough.
  void fetch_texels() { texels_ = chooser_->texels(); }
  void drop_texels() { texels_ = {}; }
  std::span<const SubBlockTexels> texels() const { return texels_; }

 private:
  struct Told {
    bool is_told = false, is_given = false, is_as_chosen = false;
  };
  std::unique_ptr<LossyBackend> chooser_, retired_;
  bool is_started_ = false;  // it knows the frame before
  std::vector<Told> told_of_;
  std::vector<uint32_t> told_, told_otherwise_, given_;
  std::span<const TileDifference> differences_;
  std::span<const MotionCandidates> moved_;
  EncodedBatch chosen_;
  std::vector<uint8_t> is_found_;  // 1: where it came from; 2: and its symbols
  std::vector<uint32_t> place_in_batch_;
  std::span<const SubBlockTexels> texels_;
};

}  // namespace texcast::compact
