#include "rd_strategy.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "compact/slice_bytes.h"
#include "content_guess.h"

namespace texcast::compact {

RdStrategy::RdStrategy(FrameState& state, Scheduler& scheduler, CodedTiles& tiles, const CodingTraining* training)
    : state_(state),
      scheduler_(scheduler),
      tiles_(tiles),
      rd_(state.grid, may_transform()),
      analysis_(state),
      writer_({.state = state,
               .scheduler = scheduler,
               .tiles = tiles,
               .rd = rd_,
               .analysis = analysis_,
               .session = session_,
               .planes = planes_,
               .film = film_},
              training),
      time_(state.settings.effort, state.grid.tiles(), may_transform()),
      rate_plan_(state, scheduler),
      is_stale_(state.grid.tiles()),
      all_tiles_(state.grid.tiles()),
      is_row_joined_(state.rows()) {
  std::iota(all_tiles_.begin(), all_tiles_.end(), 0);
  for (auto* list : {&trial_, &timed_, &coded_, &recoded_, &redrawn_}) list->reserve(state.grid.tiles());
}

void RdStrategy::use_backend(std::unique_ptr<EncoderBackend> backend, const SelfCheckSettings& check) {
  session_.take_over(std::move(backend), check, state_.grid);
  to_encode_.reserve(state_.grid.tiles());
}

// How long tiles take is still known.
void RdStrategy::forget() {
  rd_.frames = 0;
  std::ranges::fill(rd_.choices, CodingChoice{});
}

void RdStrategy::begin() {
  session_.begin_frame();
  if (session_.leads()) planes_.reset();
  time_.begin(state_.input);
  is_hasty_ = planes_.has_value() && state_.has_reference && !session_.is_on() &&
              (state_.settings.effort.by_macroblocks || time_.is_short());
  begin_film();
  if (!is_hasty_ && !session_.leads()) update_stale();
  ++rd_.frames;
  if (!state_.has_reference)
    state_.workers.parallel_for(state_.grid.tiles(), [&](size_t tile) {
      rd_.content[tile] = rd_.block_content[tile] =
          guess_content(state_.grid, static_cast<uint32_t>(tile), state_.texture(), *state_.input.target);
    });
  if (session_.is_on()) compare_by_backend();
  session_.timed_cpu([&] { find_changes(); });
  is_all_drawn_ = analysis_.has_picture() && !is_picture_complete_;
  if (session_.is_on()) draw_by_backend();
  session_.timed_cpu([&] { find_motion(); });
  std::ranges::fill(rd_.needs_texels, uint8_t{0});
  const auto urgent = static_cast<size_t>(
      std::ranges::count_if(scheduler_.dirty(), [&](uint32_t tile) { return !scheduler_.is_refined(tile); }));
  scheduler_.limit(std::min(time_.most_tiles(), std::max(urgent, time_.most_with_refinements(!session_.is_on()))));
  if (state_.input.rate != nullptr) plan_bits();
  is_first_batch_ = true;
}

BatchSize RdStrategy::batch_size() const {
  // A batch is a part of the frame, so that its beginning is sent while the rest is coded, and is large enough that
  // threads seldom wait for each other. With rate control it must not depend on the number of threads, as the bytes
  // depend on the batches.
  constexpr size_t kLeastOfAThread = 32, kLeastWithRate = 16;
  const bool has_rate = state_.input.rate != nullptr;
  return {
      .least_tiles = has_rate ? kLeastWithRate : kLeastOfAThread * (static_cast<size_t>(state_.workers.threads()) + 1),
      // A device takes about as long for half of the tiles as for all.
      .most_batches = session_.leads() && !has_rate ? 1 : state_.settings.batches};
}

// ---- The frame's analysis

void RdStrategy::compare_by_backend() {
  const SteadyTime begun = session_.now();
  session_.attempt([&] {
    if (!session_.is_started()) {
      std::vector<int16_t> chroma;
      EncoderState state = analysis_.encoder_state(is_picture_complete_, chroma);
      if (state_.has_reference && planes_) state.samples = planes_->samples().all();
      session_.start(state, state_.workers);
    }
    session_.begin({.texture = state_.input.texture,
                    .reference = state_.has_reference ? Bytes(state_.reference) : Bytes(),
                    .most_slice_bytes = state_.settings.most_slice_bytes,
                    .compared = scheduler_.tiles_to_compare(),
                    .effort = state_.settings.effort,
                    .picture = analysis_.has_picture() ? state_.input.picture : nullptr});
  });
  if (session_.is_lost()) start_anew();
  session_.add_device_time(begun);
}

// The CPU does not have the reference frame of a backend that led.
void RdStrategy::start_anew() {
  session_.stop_leading();
  is_picture_complete_ = false;
  state_.has_reference = false;
  scheduler_.lose_reference();
}

void RdStrategy::find_changes() {
  state_.for_all([&](uint32_t tile) { find_changes(tile); });
  scheduler_.list_tiles();
}

void RdStrategy::find_changes(uint32_t tile) {
  if (session_.leads()) {
    rd_.differences[tile] = session_.difference(tile);
  } else {
    rd_.differences[tile] = analysis_.find_changes(tile, scheduler_.may_have_changed(tile));
    if (session_.is_on() && session_.difference(tile) != rd_.differences[tile]) session_.check().report_mismatch();
  }
  scheduler_.set_changed(tile, rd_.differences[tile] != 0);
}

void RdStrategy::draw_by_backend() {
  const SteadyTime begun = session_.now();
  session_.attempt([&] {
    session_.find_candidates(analysis_.has_picture() ? state_.input.picture : nullptr,
                             is_all_drawn_ ? std::span<const uint32_t>(all_tiles_) : scheduler_.changed(),
                             scheduler_.changed());
  });
  if (session_.is_lost()) {
    start_anew();
    is_all_drawn_ = analysis_.has_picture();
    find_changes();
  }
  session_.add_device_time(begun);
}

void RdStrategy::update_stale() {
  state_.for_all([&](uint32_t tile) {
    if (std::exchange(is_stale_[tile], uint8_t{0}) != 0) analysis_.update_reference(tile);
  });
}

void RdStrategy::find_motion() {
  // Unchanged tiles were drawn earlier, unless the previous frame had no picture.
  is_picture_complete_ = analysis_.has_picture();
  if (!session_.leads()) {
    const auto drawn = is_all_drawn_ ? std::span<const uint32_t>(all_tiles_) : scheduler_.changed();
    state_.for_some(drawn, [&](std::span<const uint32_t> tiles) {
      for (const uint32_t tile : tiles) draw(tile);
    });
    state_.for_some(scheduler_.changed(), [&](std::span<const uint32_t> tiles) {
      for (const uint32_t tile : tiles) find_matches(tile);
    });
  }
  if (session_.is_on()) take_candidates();
  // It takes one thread longer than others need to plan the tiles (encode_by_backend()).
  is_global_motion_pending_ = session_.leads() && state_.input.rate == nullptr;
  if (!is_global_motion_pending_) state_.find_global_motion(scheduler_.changed(), 1);
}

void RdStrategy::begin_film() {
  film_.reset();
  if (is_hasty_ && analysis_.has_picture() && FilmSource::can_read(state_.grid, *state_.input.picture))
    return void(film_.emplace(*state_.input.picture));
  if (std::ranges::find(rd_.is_film_drawn, 1) == rd_.is_film_drawn.end()) return;
  std::ranges::fill(rd_.is_film_drawn, uint8_t{0});
  is_picture_complete_ = false;
}

// Whether a tile and those around it are film, so that none is coded by blocks and needs its surroundings in the
// picture.
bool RdStrategy::is_among_film(uint32_t tile) const {
  const int across = state_.grid.across(), column = static_cast<int>(tile) % across,
            row = static_cast<int>(tile) / across;
  for (int y = std::max(row - 1, 0); y <= std::min(row + 1, state_.grid.down() - 1); ++y)
    for (int x = std::max(column - 1, 0); x <= std::min(column + 1, across - 1); ++x)
      if (!is_transform(state_.tile_at(static_cast<size_t>(y), x))) return false;
  return true;
}

void RdStrategy::draw(uint32_t tile) {
  const bool is_film = film_ && is_among_film(tile);
  rd_.is_film_drawn[tile] = is_film ? 1 : 0;
  if (is_film)
    analysis_.draw(tile, *film_);
  else
    analysis_.draw(tile);
}

void RdStrategy::find_matches(uint32_t tile) {
  const bool is_left_out = is_hasty_ && rd_.content[tile] == Content::transform;
  const WindowMatches matches = is_left_out ? analysis_.no_matches(tile) : analysis_.matches(tile);
  state_.candidates[tile] = matches.most;
  state_.matched_vectors[tile] = matches.of_partitions;
}

void RdStrategy::take_candidates() {
  for (size_t i = 0; i < scheduler_.changed().size(); ++i) {
    MotionCandidates& candidates = state_.candidates[scheduler_.changed()[i]];
    if (session_.leads())
      candidates = session_.candidates()[i];
    else if (candidates != session_.candidates()[i])
      session_.check().report_mismatch();
  }
}

// ---- Rate control

void RdStrategy::plan_bits() {
  measure_complexity();
  rate_plan_.plan();
  if (rate_plan_.needs_trial()) {
    encode_trial();
    rate_plan_.plan();
  }
  rate_plan_.apply();
}

void RdStrategy::measure_complexity() {
  const auto tiles = rate_plan_.begin();
  std::span<const TileComplexity> by_backend;
  if (session_.is_on())
    session_.attempt([&] { by_backend = session_.backend().complexity(tiles, state_.global_motion.vectors()); });
  state_.workers.parallel_for(tiles.size(), [&](size_t i) {
    if (session_.leads()) {
      rate_plan_.set_complexity(i, by_backend.empty() ? TileComplexity{} : by_backend[i]);
      return;
    }
    const TileComplexity complexity = analysis_.complexity(tiles[i]);
    if (!by_backend.empty() && by_backend[i] != complexity) session_.check().report_mismatch();
    rate_plan_.set_complexity(i, complexity);
  });
}

// Codes some tiles as planned, to measure their bytes. They are coded again afterwards.
void RdStrategy::encode_trial() {
  rate_plan_.choose_trial(trial_);
  const bool is_by_backend = session_.leads();
  if (is_by_backend) encode_by_backend(trial_);
  state_.workers.parallel_for(trial_.size(), [&](size_t i) {
    const uint32_t tile = trial_[i];
    const RdTileWriter::Encoders::Use encoder(writer_.encoders());
    if (is_by_backend ? session_.has_encoded(tile) : prepare(tile, time_.effort())) writer_.write(tile, *encoder);
  });
  if (is_by_backend) {
    writer_.write_with_texels(trial_);
    session_.forget(trial_);
  }
  for (const uint32_t tile : trial_) {
    if (!tiles_.slices(tile).empty()) rate_plan_.add_trial(tile, tiles_.bytes(tile));
    tiles_.clear(tile);
  }
}

// ---- The tiles of a batch

void RdStrategy::encode(const Batch& batch) {
  if (std::exchange(is_first_batch_, false)) {
    timed_.clear();
    std::ranges::copy_if(scheduler_.dirty(), std::back_inserter(timed_),
                         [&](uint32_t tile) { return scheduler_.is_to_be_coded(tile); });
    time_.begin_tiles(timed_, !session_.is_on());
  }
  const bool is_prepared = session_.is_on() || session_.is_lost();
  if (session_.is_lost())
    defer_lost(batch.tiles);
  else if (session_.is_on())
    encode_by_backend(batch.tiles);
  if (session_.leads()) return write_rows(batch);
  session_.timed_cpu([&] {
    state_.for_some(batch.tiles, [&](std::span<const uint32_t> tiles) {
      const RdTileWriter::Encoders::Use encoder(writer_.encoders());
      if (is_prepared)
        write_prepared(tiles, *encoder);
      else
        encode_by_cpu(tiles, *encoder);
    });
  });
  state_.workers.parallel_for(batch.end_row - batch.first_row, [&](size_t row) { join_row(batch.first_row + row); });
}

void RdStrategy::write_prepared(std::span<const uint32_t> tiles, RdEncoder& encoder) {
  for (const uint32_t tile : tiles)
    if (!scheduler_.is_deferred(tile)) writer_.write(tile, encoder);
}

void RdStrategy::encode_by_cpu(std::span<const uint32_t> tiles, RdEncoder& encoder) {
  const FrameTime::Turn turn = time_.take(tiles);
  bool are_all_coded = true;
  for (const uint32_t tile : tiles) {
    if (prepare(tile, turn.effort()))
      writer_.write(tile, encoder);
    else
      are_all_coded = false;
  }
  if (are_all_coded) time_.coded(tiles, turn);
}

// Writes and joins the slices that a leading backend coded. A thread does both for a row of tiles, as their data are in
// its cache then.
void RdStrategy::write_rows(const Batch& batch) {
  const size_t rows = batch.end_row - batch.first_row;
  state_.workers.parallel_for(rows, [&](size_t i) {
    const size_t row = batch.first_row + i;
    is_row_joined_[row] = write_row(row) ? 1 : 0;
    if (is_row_joined_[row] != 0) join_row(row);
  });
  writer_.write_with_texels(batch.tiles);
  state_.workers.parallel_for(rows, [&](size_t i) {
    if (const size_t row = batch.first_row + i; is_row_joined_[row] == 0) join_row(row);
  });
}

// False: some of its tiles need texels.
bool RdStrategy::write_row(size_t row) {
  const RdTileWriter::Encoders::Use encoder(writer_.encoders());
  bool is_complete = true;
  state_.for_row(row, [&](uint32_t tile) {
    if (!scheduler_.is_to_be_coded(tile)) return;
    writer_.write(tile, *encoder);
    is_complete = is_complete && rd_.needs_texels[tile] == 0;
  });
  return is_complete;
}

void RdStrategy::join_row(size_t row) { writer_.join_row(row, state_.input.rate != nullptr ? &rate_plan_ : nullptr); }

// Whether an unchanged tile is coded anew in between, for receivers that may have missed it. Its quality must not
// change then, which would be visible. A repair is as short as possible: its tile ramps up again.
bool RdStrategy::keeps_quality(uint32_t tile) const {
  const int reached = scheduler_.quality(tile).lambda;
  return scheduler_.is_intra(tile) && rd_.differences[tile] == 0 && !scheduler_.may_be_wrong(tile) && reached > 0 &&
         reached < state_.input.target->lambda;
}

RdParameters RdStrategy::parameters_of(uint32_t tile) const {
  const RdParameters& frame = *state_.input.target;
  const bool has_rate = state_.input.rate != nullptr;
  if (!has_rate && keeps_quality(tile)) return scheduler_.quality(tile);
  if (scheduler_.is_intra(tile) && !has_rate && rd_.content[tile] == Content::screen) return refined_at_first(frame);
  if (!scheduler_.is_refined(tile)) return frame;
  if (has_rate) return rate_plan_.refined_parameters(tile);
  const RdParameters next = refined(scheduler_.quality(tile), 1);
  const int finest = scheduler_.finest_lambda(tile);
  if (!scheduler_.is_film(tile) || next.lambda >= finest) return next;
  RdParameters last = rd_parameters_of_lambda(finest);
  last.finest = next.finest;
  return last;
}

// Plans how a tile is coded. False: there is no time for it.
bool RdStrategy::plan(uint32_t tile, const SearchEffort& effort) {
  const bool is_late = time_.is_over() && !scheduler_.is_intra(tile);
  scheduler_.defer(tile, is_late);
  if (is_late) return false;
  rd_.parameters[tile] = parameters_of(tile);
  rd_.efforts[tile] = effort;
  rd_.is_recoded[tile] = 0;
  return true;
}

bool RdStrategy::prepare(uint32_t tile, const SearchEffort& effort) {
  if (!plan(tile, effort)) return false;
  choose_attempt(tile);
  search(tile);
  return true;
}

void RdStrategy::choose_attempt(uint32_t tile) {
  if (rd_.is_film_drawn[tile] != 0) {
    rd_.attempts[tile] = CodingAttempt::transform;
    return;
  }
  rd_.attempts[tile] = may_transform() ? next_attempt(rd_.choices[tile], state_.grid, tile, state_.texture(),
                                                      rd_.frames, rd_.efforts[tile])
                                       : CodingAttempt::blocks;
}

void RdStrategy::search(uint32_t tile) {
  TileVectors& vectors = state_.vectors[tile];
  rd_.lambda_weights[tile].fill(kFullLambda);
  if (scheduler_.is_intra(tile)) {
    vectors.fill({});
    return;
  }
  const bool is_coarse = !session_.is_on() && rd_.attempts[tile] == CodingAttempt::transform &&
                         rd_.efforts[tile].macroblocks < MacroblockEffort::usual;
  // Its macroblocks begin with the vectors of the previous frame.
  rd_.efforts[tile].by_macroblocks = is_hasty_ && rd_.attempts[tile] == CodingAttempt::transform;
  if (!rd_.efforts[tile].by_macroblocks) analysis_.search(tile, state_.input.target->vector_cost, is_coarse, vectors);
  // No higher lambda on screens: their contents stay, even if the reference frame did not have them.
  if (adapts_lambda(tile)) rd_.lambda_weights[tile] = analysis_.weights(tile, rd_.parameters[tile].lambda, vectors);
}

void RdStrategy::encode_by_backend(std::span<const uint32_t> tiles) {
  plan_for_backend(tiles);
  std::erase_if(to_encode_, [&](const TileToEncode& tile) { return scheduler_.is_deferred(tile.tile); });
  const SteadyTime begun = session_.now();
  const bool is_begun =
      session_.attempt([&] { session_.backend().encode(to_encode_, state_.global_motion.vectors()); });
  if (!session_.leads())  // while the backend works
    session_.timed_cpu([&] {
      state_.for_some(tiles, [&](std::span<const uint32_t> some) {
        for (const uint32_t tile : some)
          if (!scheduler_.is_deferred(tile)) search(tile);
      });
    });
  if (is_begun && session_.attempt([&] { session_.wait_for(to_encode_); })) {
    session_.add_device_time(begun);
    take_encoded();
    if (!session_.leads() && may_transform()) session_.attempt([&] { session_.fetch_samples(); });
  }
  if (session_.is_lost()) defer_lost(tiles);
}

// Describes the tiles, and finds the frame's global motion meanwhile if it is not known yet.
void RdStrategy::plan_for_backend(std::span<const uint32_t> tiles) {
  constexpr size_t kTiles = 64;  // of an item
  const size_t motion = std::exchange(is_global_motion_pending_, false) ? 1 : 0;
  to_encode_.resize(tiles.size());
  state_.workers.parallel_for(motion + (tiles.size() + kTiles - 1) / kTiles, [&](size_t item) {
    if (item < motion) return state_.find_global_motion(scheduler_.changed(), 1);
    const size_t begin = (item - motion) * kTiles;
    for (size_t i = begin; i < std::min(begin + kTiles, tiles.size()); ++i) {
      to_encode_[i].tile = tiles[i];
      if (!plan(tiles[i], state_.settings.effort)) continue;
      choose_attempt(tiles[i]);
      describe(to_encode_[i]);
    }
  });
}

void RdStrategy::describe(TileToEncode& to_encode) const {
  const uint32_t tile = to_encode.tile;
  to_encode = {.tile = tile,
               .intra = scheduler_.is_intra(tile),
               .attempt = rd_.attempts[tile],
               .expected = rd_.block_content[tile],
               .adapts_lambda = adapts_lambda(tile),
               .parameters = rd_.parameters[tile],
               .changed_partitions = static_cast<uint8_t>(rd_.differences[tile]),
               .own = state_.candidates[tile][0].vector,
               .previous_vectors = state_.vectors[tile]};
}

void RdStrategy::take_encoded() {
  for_chunks(state_.workers, to_encode_.size(), [&](size_t i) {
    const uint32_t tile = to_encode_[i].tile;
    const EncodedTile& encoded = session_.encoded(tile);
    if (session_.leads()) {
      state_.vectors[tile] = encoded.vectors;
      rd_.lambda_weights[tile] = encoded.lambda_weights;
    } else if (state_.vectors[tile] != encoded.vectors || rd_.lambda_weights[tile] != encoded.lambda_weights) {
      session_.check().report_mismatch();
    }
  });
}

// After a failure of the backend the CPU lacks the state to code these tiles before the next frame.
void RdStrategy::defer_lost(std::span<const uint32_t> tiles) {
  for (const uint32_t tile : tiles)
    if (!session_.has_encoded(tile)) scheduler_.defer(tile);
}

bool RdStrategy::may_send(uint32_t tile) {
  return state_.input.rate == nullptr || rate_plan_.may_send(tile, tiles_.slices(tile));
}

void RdStrategy::end_batch() {
  if (state_.input.rate != nullptr) rate_plan_.end_batch();
}

// ---- The end of a frame

void RdStrategy::end(size_t coded) {
  time_.end_tiles();
  if (session_.is_on()) list_outcome();
  const bool are_planes_new = may_transform() && !session_.leads() && !planes_;
  if (are_planes_new) planes_.emplace(state_.grid);
  // A backend does not need the reference frame if it coded all tiles itself.
  const bool ends_early = session_.is_on() && recoded_.empty();
  constexpr size_t kWays = WindowIndex::kWays;
  state_.workers.parallel_for(1 + kWays + state_.rows(), [&](size_t item) {
    if (item == 0 && ends_early)
      end_by_backend();
    else if (item > kWays)
      state_.for_row(item - kWays - 1, [&](uint32_t tile) {
        const bool is_coded = keep(tile);
        if (planes_ && (is_coded || are_planes_new)) update_samples(tile, is_coded);
      });
    else if (item > 0 && !session_.leads())
      analysis_.index_windows(scheduler_.changed(), static_cast<int>(item) - 1);
  });
  if (planes_) {
    state_.for_all([&](uint32_t tile) { planes_->interpolate(tile); });
    planes_->end_frame();
  }
  if (session_.is_on() && !ends_early) end_by_backend();
  state_.has_reference = !session_.is_lost();
  if (session_.is_lost()) is_picture_complete_ = false;
  is_waiting_ = scheduler_.is_waiting();
  time_.end(coded, state_.grid.tiles());
  if (state_.input.rate != nullptr) state_.input.rate->end();
  // In a frame with few dirty tiles a device takes longer than the CPU, which does no harm.
  constexpr size_t kMuch = 4;
  session_.look_at_check(scheduler_.dirty().size() * kMuch >= state_.grid.tiles());
}

void RdStrategy::end_by_backend() {
  session_.attempt([&] {
    session_.backend().end({.coded = coded_,
                            .recoded = recoded_,
                            .redrawn = redrawn_,
                            .reference = state_.reference,
                            .samples = rd_.samples ? rd_.samples->all() : std::span<const uint8_t>()});
  });
}

void RdStrategy::update_samples(uint32_t tile, bool is_coded) {
  if (!is_coded) return planes_->update(tile, state_.reference.data());
  rd_.complete_samples(state_.grid, tile, writer_.reconstruction());
  planes_->update(tile, *rd_.samples);
}

void RdStrategy::list_outcome() {
  for (auto* tiles : {&coded_, &recoded_, &redrawn_}) tiles->clear();
  for (const uint32_t tile : scheduler_.dirty()) {
    if (!scheduler_.is_to_be_coded(tile)) continue;
    coded_.push_back(tile);
    if (rd_.is_from_backend[tile] == 0) {
      recoded_.push_back(tile);
      if (rd_.samples) rd_.complete_samples(state_.grid, tile, writer_.reconstruction());
    }
    if (scheduler_.has_changed(tile)) redrawn_.push_back(tile);
  }
}

// Returns whether the tile was coded.
bool RdStrategy::keep(uint32_t tile) {
  const bool is_coded = scheduler_.is_to_be_coded(tile);
  const bool is_film = scheduler_.is_refined(tile) ? scheduler_.is_film(tile) : rd_.content[tile] == Content::transform;
  scheduler_.end_tile(tile);
  if (!is_coded) return false;
  scheduler_.set_quality(tile, rd_.parameters[tile], is_film);
  if (scheduler_.has_changed(tile) && !session_.leads()) analysis_.keep_source(tile);
  copy_slice(state_.grid, {.tile = tile}, writer_.reconstruction(), state_.reference.data());
  // Rate control measures all tiles in the luma that partitions are searched in.
  is_stale_[tile] = is_hasty_ && is_transform(tile) && state_.input.rate == nullptr ? 1 : 0;
  if (!session_.leads() && is_stale_[tile] == 0) analysis_.update_reference(tile);
  return true;
}

}  // namespace texcast::compact
