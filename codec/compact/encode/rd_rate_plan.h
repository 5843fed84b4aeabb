// rd_rate_plan.h — lets rate control choose which dirty tiles of a frame are coded, by their complexity.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coded_tiles.h"
#include "compact/complexity.h"
#include "compact/rate_control.h"
#include "frame_state.h"
#include "scheduler.h"

namespace texcast::compact {

// For frames with FrameToEncode::rate, whose `target` it sets.
class RdRatePlan {
 public:
  RdRatePlan(FrameState& state, Scheduler& scheduler);

  // All dirty tiles, whose complexity is to be measured.
  std::span<const TileToMeasure> begin();
  // Sets the complexity of dirty()[i]. Any thread.
  void set_complexity(size_t i, const TileComplexity& complexity);
  void plan() { state_.input.target = rate().plan(tiles_); }

  // Whether the plan is a guess, which a trial improves. `trial` gets some tiles from all over the picture, which are
  // coded for it.
  bool needs_trial() const { return rate().needs_trial(); }
  void choose_trial(std::vector<uint32_t>& trial) const;
  void add_trial(uint32_t tile, size_t bytes) { rate().add_trial(of(tile), bytes); }
  // Defers the tiles that rate control did not choose.
  void apply();

  TileNeed need(uint32_t tile) const { return of(tile).need; }
  RdParameters refined_parameters(uint32_t tile) const { return rd_parameters_of_lambda(of(tile).lambda); }

  // Whether there is room for the slices of a tile, or for the joined slice that begins there. Called in sending order.
  // Tiles without room are deferred, except refinements that would never have any.
  bool may_send(uint32_t tile, std::span<const CodedSlice> slices);
  void end_batch() { state_.input.target = rate().next_batch(); }

 private:
  RateControl& rate() const { return *state_.input.rate; }
  const TileToCode& of(uint32_t tile) const { return tiles_[scheduler_.place_in_dirty(tile)]; }

  FrameState& state_;
  Scheduler& scheduler_;
  std::vector<TileToMeasure> to_measure_;  // in the order of Scheduler::dirty(), like the next member
  std::vector<TileToCode> tiles_;
};

}  // namespace texcast::compact
