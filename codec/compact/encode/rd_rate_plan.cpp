#include "rd_rate_plan.h"

namespace texcast::compact {

RdRatePlan::RdRatePlan(FrameState& state, Scheduler& scheduler) : state_(state), scheduler_(scheduler) {
  to_measure_.reserve(state.grid.tiles());
  tiles_.reserve(state.grid.tiles());
}

std::span<const TileToMeasure> RdRatePlan::begin() {
  to_measure_.clear();
  tiles_.clear();
  for (const uint32_t tile : scheduler_.dirty()) {
    const bool is_refined = scheduler_.is_refined(tile);
    TileToCode& to_code = tiles_.emplace_back();
    to_code.tile = tile;
    to_code.frames_deferred = scheduler_.frames_deferred(tile);
    to_code.has_time = !scheduler_.is_deferred(tile);
    if (is_refined) to_code.lambda = scheduler_.quality(tile).lambda;
    if (is_refined) to_code.finest = scheduler_.finest_lambda(tile);
    TileToMeasure& to_measure = to_measure_.emplace_back(TileToMeasure{.tile = tile,
                                                                       .intra = is_refined || scheduler_.is_intra(tile),
                                                                       .own = state_.candidates[tile][0].vector,
                                                                       .previous_vectors = state_.vectors[tile]});
    for (MotionVector& v : to_measure.previous_vectors) v = {v.x >> 1, v.y >> 1};  // from half pixels
  }
  return to_measure_;
}

void RdRatePlan::set_complexity(size_t i, const TileComplexity& complexity) {
  const uint32_t tile = tiles_[i].tile;
  tiles_[i].complexity = complexity.estimate;
  tiles_[i].need = scheduler_.is_refined(tile)                              ? TileNeed::refinement
                   : scheduler_.is_intra(tile) || complexity.is_new_content ? TileNeed::intra
                                                                            : TileNeed::inter;
}

void RdRatePlan::choose_trial(std::vector<uint32_t>& trial) const {
  constexpr size_t kOneOf = 8, kFew = 24;
  trial.clear();
  const bool are_few = tiles_.size() < kFew;
  for (size_t i = are_few ? 0 : kOneOf / 2; i < tiles_.size(); i += are_few ? 1 : kOneOf)
    if (tiles_[i].is_chosen && tiles_[i].need != TileNeed::refinement) trial.push_back(tiles_[i].tile);
}

void RdRatePlan::apply() {
  for (const TileToCode& tile : tiles_) scheduler_.defer(tile.tile, !tile.is_chosen);
}

bool RdRatePlan::may_send(uint32_t tile, std::span<const CodedSlice> slices) {
  const uint32_t count = slices[0].slice.tiles;
  const Admission admission = rate().admit(std::span(tiles_).subspan(scheduler_.place_in_dirty(tile), count), slices);
  if (admission == Admission::admitted) return true;
  for (uint32_t deferred = tile; deferred < tile + count; ++deferred) {
    scheduler_.defer(deferred, admission == Admission::deferred);
    if (admission == Admission::never) scheduler_.end_quality_ramp(deferred);
  }
  return false;
}

}  // namespace texcast::compact
