#include "lossless_strategy.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "base/ensure.h"
#include "compact/payload.h"
#include "compact/slice_bytes.h"

namespace texcast::compact {

// Encodes slices by CPU, or takes them from the leading backend. During the self-check it compares both.
class LosslessStrategy::Coder final : public SliceCoder {
 public:
  Coder(LosslessStrategy& strategy, LosslessSliceEncoder& encoder) : strategy_(strategy), encoder_(encoder) {}

  Bytes encode(const Slice& slice, const Reference& reference, MutableBytes memory) override {
    if (strategy_.is_raw_[slice.tile] != 0) return {};
    BackendSession& session = strategy_.session_;
    const TileGrid& grid = strategy_.state_.grid;
    const bool is_recoded = strategy_.is_recoded_[slice.tile] != 0;
    if (strategy_.is_by_cpu() || is_recoded) {
      const Bytes bytes = memory.last(encoder_.encode(grid, slice, strategy_.state_.texture(), reference, memory));
      if (session.is_checking() && !is_recoded)
        session.check().compare(std::ranges::equal(backend_slice(slice).bytes, bytes));
      return bytes;
    }
    const BackendSlice coded = backend_slice(slice);
    if (reference.texture != nullptr)
      add_referenced(grid, slice, session.encoded(slice.tile).vectors, coded, *reference.touched);
    return coded.bytes;
  }

 private:
  BackendSlice backend_slice(const Slice& slice) const {
    const EncodedTile& tile = strategy_.session_.encoded(slice.tile);
    const auto& slices = tile.slices[static_cast<size_t>(std::countr_zero(slice.sub_slices))];
    return slice.sub_slice < slices.size() ? slices[slice.sub_slice] : BackendSlice{};
  }

  LosslessStrategy& strategy_;
  LosslessSliceEncoder& encoder_;
};

namespace {

// The motion of opaque sub-blocks is searched without pixels.
PixelPlane plane_of(const TileGrid& grid) { return grid.is_opaque() ? PixelPlane() : PixelPlane(grid.component(0)); }

}  // namespace

LosslessStrategy::LosslessStrategy(FrameState& state, Scheduler& scheduler, CodedTiles& tiles,
                                   const CodingTraining* training)
    : state_(state),
      scheduler_(scheduler),
      tiles_(tiles),
      encoders_(state.workers.threads() + 1,
                [&] { return training != nullptr ? LosslessSliceEncoder(*training) : LosslessSliceEncoder(); }),
      source_(plane_of(state.grid)),
      reference_(plane_of(state.grid)) {
  const TileGrid& grid = state.grid;
  changes_.resize(size_t{grid.tiles()} * static_cast<size_t>(grid.component_count()));
  for (auto* flags : {&is_raw_, &is_recoded_}) flags->resize(grid.tiles());
  checks_.resize(grid.tiles());
  recoded_.reserve(grid.tiles());
  to_encode_.reserve(grid.tiles());
  for (int i = 0; i < grid.component_count(); ++i) sub_blocks_.emplace_back(grid.component(i));
}

void LosslessStrategy::use_backend(std::unique_ptr<EncoderBackend> backend, const SelfCheckSettings& check) {
  session_.take_over(std::move(backend), check, state_.grid);
  session_.attempt([&] { session_.start(encoder_state(), state_.workers); });
}

EncoderState LosslessStrategy::encoder_state() const {
  EncoderState state;
  if (!state_.has_reference) return state;
  state.reference = state_.reference;
  state.vectors = state_.vectors;
  for (size_t i = 0; i < sub_blocks_.size(); ++i) state.sub_blocks[i] = sub_blocks_[i].entries();
  return state;
}

void LosslessStrategy::begin() {
  session_.begin_frame();
  is_kept_ = false;
  if (session_.is_on() && !compare_by_backend()) start_anew();
  find_changes();
  is_all_raw_ = scheduler_.dirty().size() > state_.input.most_due;
  if (session_.is_on() && !encode_by_backend() && session_.is_lost()) {
    start_anew();
    find_changes();
  }
  if (is_by_cpu()) find_motion();
}

BatchSize LosslessStrategy::batch_size() const {
  // Large enough that threads seldom wait for each other. Tiles that a backend coded take little time.
  const size_t least_of_a_thread = is_by_cpu() ? 32 : 128;
  return {.least_tiles = least_of_a_thread * (static_cast<size_t>(state_.workers.threads()) + 1),
          .most_batches = state_.settings.batches};
}

// False: the leading backend failed.
bool LosslessStrategy::compare_by_backend() {
  return session_.attempt([&] {
    session_.begin({.texture = state_.input.texture,
                    .reference = state_.has_reference ? Bytes(state_.reference) : Bytes(),
                    .most_slice_bytes = state_.settings.most_slice_bytes,
                    .compared = scheduler_.tiles_to_compare()});
  }) || !session_.is_lost();
}

bool LosslessStrategy::encode_by_backend() {
  return session_.attempt([&] {
    list_tiles_to_encode();  // before it waits for the device
    session_.find_candidates(nullptr, {}, scheduler_.changed());
    if (is_all_raw_) return;
    for (size_t i = 0; i < scheduler_.changed().size(); ++i)
      state_.candidates[scheduler_.changed()[i]] = session_.candidates()[i];
    state_.find_global_motion(scheduler_.changed(), 4);
    session_.backend().encode(to_encode_, state_.global_motion.vectors());
    if (session_.leads()) keep_ahead();
    session_.wait_for(to_encode_);
  });
}

void LosslessStrategy::list_tiles_to_encode() {
  to_encode_.resize(scheduler_.dirty().size());
  for (size_t i = 0; i < to_encode_.size(); ++i) {
    to_encode_[i].tile = scheduler_.dirty()[i];
    to_encode_[i].intra = scheduler_.is_intra(to_encode_[i].tile);
  }
}

// While a leading backend codes the tiles, which it does not need the host's textures for.
void LosslessStrategy::keep_ahead() {
  constexpr size_t kSome = 16;  // tiles per item
  const auto dirty = scheduler_.dirty();
  state_.workers.parallel_for((dirty.size() + kSome - 1) / kSome, [&](size_t item) {
    for (const uint32_t tile : dirty.subspan(item * kSome, std::min(kSome, dirty.size() - item * kSome))) {
      if (scheduler_.has_changed(tile))
        copy_slice(state_.grid, {.tile = tile}, state_.texture(), state_.reference.data());
      checks_[tile] = slice_check(state_.grid, {.tile = tile}, state_.texture());
    }
  });
  is_kept_ = true;
}

// The CPU does not have the reference frame of a backend that led.
void LosslessStrategy::start_anew() {
  session_.stop_leading();
  is_kept_ = false;
  state_.has_reference = false;
  scheduler_.lose_reference();
}

void LosslessStrategy::find_changes() {
  if (is_by_cpu()) {
    state_.for_all([&](uint32_t tile) { find_changes(tile); });
  } else {  // on this thread, as the backend has compared them
    for (uint32_t tile = 0; tile < state_.grid.tiles(); ++tile)
      scheduler_.set_changed(tile, session_.difference(tile) != 0);
  }
  scheduler_.list_tiles();
}

void LosslessStrategy::find_changes(uint32_t tile) {
  const std::byte* const previous = state_.has_reference ? state_.reference.data() : nullptr;
  const bool has_changed = compact::find_changes(state_.grid, tile, state_.texture(), previous,
                                                 scheduler_.may_have_changed(tile), changes(tile));
  if (session_.is_checking() && (session_.difference(tile) != 0) != has_changed) session_.check().report_mismatch();
  scheduler_.set_changed(tile, has_changed);
}

void LosslessStrategy::find_motion() {
  if (is_all_raw_) {
    are_planes_stale_ = true;
    return;
  }
  const bool has_planes = !state_.grid.is_opaque();
  if (has_planes && are_planes_stale_ && state_.has_reference) redraw_planes();
  are_planes_stale_ = false;
  const Component& first = state_.grid.component(0);
  state_.for_some(scheduler_.changed(), [&](std::span<const uint32_t> tiles) {
    for (const uint32_t tile : tiles) {
      const BlockRect rect = state_.first_blocks(tile);
      if (has_planes) source_.update(first, state_.texture(), rect, *changes(tile));
      state_.candidates[tile] = state_.has_reference ? find_candidates(first, rect, *changes(tile), state_.texture(),
                                                                       state_.reference.data(), sub_blocks_.front())
                                                     : MotionCandidates{};
    }
  });
  state_.find_global_motion(scheduler_.changed(), 4);
}

void LosslessStrategy::redraw_planes() {
  const Component& first = state_.grid.component(0);
  state_.for_all([&](uint32_t tile) {
    const BlockRect rect = state_.first_blocks(tile);
    source_.update(first, state_.reference.data(), rect, all_changed(rect));
    reference_.take(source_, rect);
  });
}

void LosslessStrategy::encode(const Batch& batch) {
  state_.for_some(batch.tiles, [&](std::span<const uint32_t> tiles) {
    const SliceEncoderPool<LosslessSliceEncoder>::Use encoder(encoders_);
    for (const uint32_t tile : tiles) encode(tile, *encoder);
  });
}

void LosslessStrategy::encode(uint32_t tile, LosslessSliceEncoder& encoder) {
  const bool is_late = state_.input.seconds_left && state_.input.seconds_left() <= 0;
  is_raw_[tile] = is_all_raw_ || is_late ? 1 : 0;
  is_recoded_[tile] = 0;
  search(tile);
  Reference reference;
  if (!scheduler_.is_intra(tile) && is_raw_[tile] == 0)
    reference = {.texture = state_.reference.data(), .places = sub_blocks_.data(), .vectors = state_.vectors[tile]};
  const CodedTiles::Source source{.texture = state_.texture()};
  Coder coder(*this, encoder);
  tiles_.pack(tile, source, reference, coder);
  if (reference.texture != nullptr && tiles_.references_unreliable(tile, scheduler_)) {
    state_.vectors[tile].fill({});
    is_recoded_[tile] = 1;
    tiles_.pack(tile, source, {}, coder);
  }
  tiles_.check(tile, state_.texture(), is_kept_ ? std::optional(checks_[tile]) : std::nullopt);
}

void LosslessStrategy::search(uint32_t tile) {
  TileVectors& vectors = state_.vectors[tile];
  if (scheduler_.is_intra(tile) || is_raw_[tile] != 0)
    vectors.fill({});
  else if (state_.grid.is_opaque())
    search_block_vectors(state_.grid.component(0), state_.first_blocks(tile), *changes(tile), state_.texture(),
                         state_.reference.data(), state_.candidates[tile][0].vector, state_.global_motion.vectors(),
                         vectors);
  else if (is_by_cpu())
    search_vectors(state_.first_blocks(tile), *changes(tile), source_, reference_, state_.candidates[tile][0].vector,
                   state_.global_motion.vectors(), vectors);
  else
    vectors = session_.encoded(tile).vectors;
}

void LosslessStrategy::end(size_t) {
  // A backend has its own index.
  const size_t ways = is_by_cpu() ? sub_blocks_.size() * SubBlockIndex::kWays : 0;
  if (is_kept_)  // on this thread, as little is left
    for (uint32_t tile = 0; tile < state_.grid.tiles(); ++tile) keep(tile);
  else
    state_.workers.parallel_for(ways + state_.rows(), [&](size_t item) {
      if (item < ways)
        index_sub_blocks(item);
      else
        state_.for_row(item - ways, [&](uint32_t tile) { keep(tile); });
    });
  state_.has_reference = true;
  if (!session_.is_on()) return;
  recoded_.clear();
  std::ranges::copy_if(scheduler_.dirty(), std::back_inserter(recoded_),
                       [&](uint32_t tile) { return is_raw_[tile] != 0 || is_recoded_[tile] != 0; });
  session_.attempt([&] { session_.backend().end({.coded = scheduler_.dirty(), .recoded = recoded_}); });
  session_.look_at_check(false);
  if (session_.is_lost()) state_.has_reference = false;
}

void LosslessStrategy::keep(uint32_t tile) {
  scheduler_.end_tile(tile);
  if (!scheduler_.has_changed(tile) || is_kept_) return;
  copy_slice(state_.grid, {.tile = tile}, state_.texture(), state_.reference.data());
  if (is_by_cpu() && !are_planes_stale_ && !state_.grid.is_opaque())
    reference_.take(source_, state_.first_blocks(tile));
}

// Indexes one of SubBlockIndex's ways in one component.
void LosslessStrategy::index_sub_blocks(size_t way_of_component) {
  const int i = static_cast<int>(way_of_component) / SubBlockIndex::kWays;
  const int way = static_cast<int>(way_of_component) % SubBlockIndex::kWays;
  const TileGrid& grid = state_.grid;
  const Component& component = grid.component(i);
  SubBlockIndex& index = sub_blocks_[static_cast<size_t>(i)];
  const auto across = static_cast<uint32_t>(grid.across()), rows = static_cast<uint32_t>(component.tile_rows());
  const auto changed = scheduler_.changed();
  for (auto first = changed.begin(); first != changed.end();) {
    const uint32_t tile_row = *first / across;
    const auto end = std::find_if(first, changed.end(), [&](uint32_t tile) { return tile / across != tile_row; });
    for (uint32_t row = 0; row < rows; ++row) {
      const int y = static_cast<int>(tile_row * rows + row);
      // One column of every eight belongs to this way; a tile's columns are a multiple of eight.
      const uint32_t of_way = 0x0101u << SubBlockIndex::way_of(way, y);
      for (auto tile = first; tile != end; ++tile) {
        const int x0 = static_cast<int>(*tile % across) * component.tile_columns();
        for_each_bit(changes(*tile)[i].rows[row] & of_way,
                     [&](int x) { index.put(load_sub_block(state_.texture() + component.at(x0 + x, y)), x0 + x, y); });
      }
    }
    first = end;
  }
}

}  // namespace texcast::compact
