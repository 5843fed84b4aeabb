// rd_strategy.h — codes tiles lossy, by rate-distortion optimisation, within the time and the bits of a frame. Motion
// is searched in half pixels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backend_session.h"
#include "coded_tiles.h"
#include "coding_strategy.h"
#include "frame_state.h"
#include "frame_time.h"
#include "rd_analysis.h"
#include "rd_rate_plan.h"
#include "rd_tile_writer.h"
#include "rd_tiles.h"
#include "scheduler.h"
#include "transform_reference.h"

namespace texcast::compact {

class RdStrategy final : public CodingStrategy {
 public:
  // `training`: nullptr for the usual tables.
  RdStrategy(FrameState& state, Scheduler& scheduler, CodedTiles& tiles, const CodingTraining* training);
  void use_backend(std::unique_ptr<EncoderBackend> backend, const SelfCheckSettings& check) override;
  void forget() override;
  bool is_checking() const override { return session_.is_checking(); }
  void begin() override;
  BatchSize batch_size() const override;
  void encode(const Batch& batch) override;
  bool may_send(uint32_t tile) override;
  bool is_transform(uint32_t tile) const override { return rd_.content[tile] == Content::transform; }
  void end_batch() override;
  void end(size_t coded) override;
  bool is_waiting() const override { return is_waiting_; }

 private:
  // The frame's analysis.
  void compare_by_backend();
  void find_changes();
  void find_changes(uint32_t tile);
  void draw_by_backend();
  void find_motion();
  void begin_film();
  bool is_among_film(uint32_t tile) const;
  void draw(uint32_t tile);
  void find_matches(uint32_t tile);
  void update_stale();
  void take_candidates();
  void start_anew();

  // Rate control.
  void plan_bits();
  void measure_complexity();
  void encode_trial();

  // The tiles of a batch.
  bool keeps_quality(uint32_t tile) const;
  RdParameters parameters_of(uint32_t tile) const;
  bool plan(uint32_t tile, const SearchEffort& effort);
  bool prepare(uint32_t tile, const SearchEffort& effort);
  bool may_transform() const { return state_.settings.transform && state_.grid.can_transform(); }
  bool adapts_lambda(uint32_t tile) const { return rd_.content[tile] != Content::screen; }
  void choose_attempt(uint32_t tile);
  void search(uint32_t tile);
  void write_prepared(std::span<const uint32_t> tiles, RdEncoder& encoder);
  void encode_by_cpu(std::span<const uint32_t> tiles, RdEncoder& encoder);
  void write_rows(const Batch& batch);
  bool write_row(size_t row);
  void join_row(size_t row);
  void encode_by_backend(std::span<const uint32_t> tiles);
  void plan_for_backend(std::span<const uint32_t> tiles);
  void describe(TileToEncode& to_encode) const;
  void take_encoded();
  void defer_lost(std::span<const uint32_t> tiles);

  // The samples of a tile of the new reference frame, for the CPU.
  void update_samples(uint32_t tile, bool is_coded);
  void list_outcome();
  void end_by_backend();
  bool keep(uint32_t tile);

  FrameState& state_;
  Scheduler& scheduler_;
  CodedTiles& tiles_;
  RdTiles rd_;
  RdAnalysis analysis_;
  BackendSession session_;
  std::optional<TransformReference> planes_;  // of the reference frame, if the CPU codes transform slices
  RdTileWriter writer_;
  FrameTime time_;
  RdRatePlan rate_plan_;
  // When time is short: SearchEffort::by_macroblocks, for this frame.
  bool is_hasty_ = false;
  std::optional<FilmSource> film_;  // of the frame, when time is short
  std::vector<uint8_t> is_stale_;   // of each tile: its luma for the search of partitions is not that of the reference
  bool is_first_batch_ = true;
  bool is_global_motion_pending_ = false;  // it is found with the first batch
  bool is_picture_complete_ = false;       // the picture is drawn in all tiles, including unchanged ones
  bool is_all_drawn_ = false;              // in this frame
  bool is_waiting_ = false;
  std::vector<uint32_t> all_tiles_, trial_, timed_;
  std::vector<uint8_t> is_row_joined_;  // of the batch
  std::vector<TileToEncode> to_encode_;
  std::vector<uint32_t> coded_, recoded_, redrawn_;  // the frame's outcome
};

}  // namespace texcast::compact
