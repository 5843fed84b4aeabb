// lossless_strategy.h — codes tiles lossless. Motion is searched in whole pixels; sub-blocks that are found again in
// the reference frame vote for candidates.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend_session.h"
#include "coded_tiles.h"
#include "coding_strategy.h"
#include "compact/changes.h"
#include "compact/motion_search.h"
#include "compact/sub_block_index.h"
#include "frame_state.h"
#include "lossless_slice_encoder.h"
#include "scheduler.h"
#include "slice_encoder_pool.h"

namespace texcast::compact {

class LosslessStrategy final : public CodingStrategy {
 public:
  // `training`: nullptr for the usual tables.
  LosslessStrategy(FrameState& state, Scheduler& scheduler, CodedTiles& tiles, const CodingTraining* training);
  void use_backend(std::unique_ptr<EncoderBackend> backend, const SelfCheckSettings& check) override;
  bool is_checking() const override { return session_.is_checking(); }
  void begin() override;
  BatchSize batch_size() const override;
  void encode(const Batch& batch) override;
  void end(size_t coded) override;

 private:
  class Coder;

  bool is_by_cpu() const { return !session_.leads(); }
  TileChanges* changes(uint32_t tile) {
    return &changes_[size_t{tile} * static_cast<size_t>(state_.grid.component_count())];
  }
  EncoderState encoder_state() const;
  void find_changes();
  void find_changes(uint32_t tile);
  bool compare_by_backend();
  bool encode_by_backend();
  void list_tiles_to_encode();
  void keep_ahead();
  void start_anew();
  void find_motion();
  void redraw_planes();
  void encode(uint32_t tile, LosslessSliceEncoder& encoder);
  void search(uint32_t tile);
  void keep(uint32_t tile);
  void index_sub_blocks(size_t way);

  FrameState& state_;
  Scheduler& scheduler_;
  CodedTiles& tiles_;
  BackendSession session_;
  SliceEncoderPool<LosslessSliceEncoder> encoders_;
  std::vector<TileChanges> changes_;       // of each tile, one for each component
  PixelPlane source_, reference_;          // luma of the frame, and of the previous one
  bool are_planes_stale_ = false;          // because a frame was sent raw
  std::vector<SubBlockIndex> sub_blocks_;  // of the reference frame, one for each component
  bool is_all_raw_ = false;                // of the frame
  std::vector<uint8_t> is_raw_;            // of each dirty tile: there is no time to code it
  std::vector<uint8_t> is_recoded_;        // of each dirty tile: intra, as it would reference an unreliable tile
  std::vector<uint32_t> recoded_;          // tiles that the CPU coded in another way than the backend
  std::vector<TileToEncode> to_encode_;    // by the backend: only their number and whether they are intra
  bool is_kept_ = false;                   // the reference has the frame already, and checks_ the checksums
  std::vector<uint32_t> checks_;           // of each dirty tile
};

}  // namespace texcast::compact
