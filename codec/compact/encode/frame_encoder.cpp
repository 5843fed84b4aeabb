#include "compact/frame_encoder.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <iterator>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/ensure.h"
#include "base/log.h"
#include "compact/adaptive_quantisation.h"
#include "compact/changes.h"
#include "compact/complexity.h"
#include "compact/motion_search.h"
#include "compact/payload.h"
#include "compact/slice_bytes.h"
#include "compact/speed_control.h"
#include "compact/symbol_writer.h"
#include "compact/window_index.h"
#include "content_guess.h"
#include "lossless_slice_encoder.h"
#include "lossy_backend_session.h"
#include "rd_slice_encoder.h"
#include "self_check.h"
#include "slice_encoder_pool.h"
#include "texcast/error.h"

namespace texcast::compact {
namespace {

// Rows of tiles whose units leave together.
struct Batch {
  size_t first_row = 0, end_row = 0;
  std::vector<uint32_t> tiles;          // that are due
  bool is_prepared = false;             // for a chooser: it is known where they moved from
  bool is_begun = false;                // the chooser is at it
  SteadyTime begun_at{};                // by the proof's clock
  std::vector<TileToEncode> to_choose;  // those that have time
};

}  // namespace

class FrameEncoder::Impl {
 public:
  Impl(const TextureDesc& texture, const FrameEncoderSettings& settings, Workers& workers,
       const CodingTraining* training)
      : grid_(texture), settings_(settings), workers_(workers), pace_(settings.effort) {
    ENSURE(grid_.most_raw_bytes(static_cast<uint8_t>(grid_.most_sub_slices())) <= settings.most_slice_bytes);
    before_.resize(grid_.texture_bytes());
    tile_bytes_ = grid_.most_raw_bytes(1);
    memory_.resize(grid_.tiles() * tile_bytes_);
    units_of_tile_.resize(size_t{grid_.tiles()} * 8);
    unit_counts_.resize(grid_.tiles());
    changed_.resize(grid_.tiles());
    changes_.resize(size_t{grid_.tiles()} * grid_.component_count());
    goes_plain_.resize(grid_.tiles());
    is_recoded_.resize(grid_.tiles());
    field_.resize(grid_.tiles());
    for (auto* tiles : {&changed_tiles_, &due_tiles_, &plain_tiles_, &trial_}) tiles->reserve(grid_.tiles());
    batch_.tiles.reserve(grid_.tiles());
    place_in_due_.resize(grid_.tiles());
    slices_.reserve(units_of_tile_.size());
    movements_.resize(grid_.tiles());
    for (int i = 0; i < grid_.component_count(); ++i) places_.emplace_back(grid_.component(i));
    now_ = PixelPlane(grid_.component(0));
    then_ = PixelPlane(grid_.component(0));
    // As many as there are threads that share a loop.
    for (int i = 0; i <= workers.threads(); ++i)
      encoders_.emplace_back(training != nullptr ? LosslessSliceEncoder(*training) : LosslessSliceEncoder(),
                             training != nullptr ? RdSliceEncoder(*training) : RdSliceEncoder());
    if (!settings.lossy) return;
    source_before_.resize(grid_.texture_bytes());
    made_.resize(grid_.texture_bytes());
    symbols_of_tile_.resize(grid_.tiles());
    content_of_tile_.resize(grid_.tiles());
    run_memory_.resize(memory_.size());
    given_ = PixelPlane(grid_.component(0));
    windows_ = WindowIndex(given_);
    if (SourcePicture::can_show(grid_)) picture_ = SourcePicture(texture.width, texture.height);
    told_.resize(grid_.tiles());
    coding_.resize(grid_.tiles());
    lambda_weights_.resize(grid_.tiles());
    for (auto* tiles : {&needs_texels_, &is_as_chosen_, &changed_areas_}) tiles->resize(grid_.tiles());
    without_texels_.reserve(grid_.tiles());
    to_measure_.reserve(grid_.tiles());
    compared_.reserve(grid_.tiles());
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) all_tiles_.push_back(tile);
    efforts_.resize(grid_.tiles());
    for (auto* tiles : {&is_late_, &late_frames_, &is_owed_}) tiles->resize(grid_.tiles());
    to_code_.reserve(grid_.tiles());
    order_.reserve(grid_.tiles());
  }

  const TileGrid& grid() const { return grid_; }
  EncodedCounts counts() const { return counts_; }
  bool is_waiting() const { return is_waiting_; }
  void forget() { has_before_ = false; }

  void use_backend(std::unique_ptr<LosslessBackend> decider, uint32_t self_check_slices) {
    ENSURE(decider_ == nullptr && !settings_.lossy);
    proof_.begin({.slices = self_check_slices});
    LosslessBackendState state;
    if (has_before_) {
      state = {.before = before_, .field = field_};
      for (size_t i = 0; i < places_.size(); ++i) state.places[i] = places_[i].entries();
    }
    try {
      decider->begin(state);
      decider_ = std::move(decider);
    } catch (const Error& error) {
      tell_of(error);
    }
  }

  void use_backend(std::unique_ptr<LossyBackend> chooser, const SelfCheckSettings& proof) {
    ENSURE(settings_.lossy);
    choosing_.take_over(std::move(chooser), grid_);
    proof_.begin(proof);
    batch_.to_choose.reserve(grid_.tiles());
  }

  void begin(const FrameToEncode& frame) {
    ENSURE(frame.texture.size() == grid_.texture_bytes());
    ENSURE(frame.changed.empty() || frame.changed.size() == grid_.tiles());
    ENSURE(frame.intra.empty() || frame.intra.size() == grid_.tiles());
    ENSURE(frame.wrong.empty() || frame.wrong.size() == grid_.tiles());
    ENSURE(frame.refreshed <= grid_.tiles());
    ENSURE(frame.target.has_value() == settings_.lossy && (settings_.lossy || frame.rate == nullptr));
    retired_.reset();
    choosing_.begin_frame();
    frame_ = frame;
    texture_ = frame.texture.data();
    any_wrong_ = std::ranges::find_if(frame.wrong, [](uint8_t wrong) { return wrong != 0; }) != frame.wrong.end();
    workers_choose_ = decider_ == nullptr || proof_.is_open();
    if (!has_before_) std::ranges::fill(is_owed_, uint8_t{1});
    if (!has_before_ && settings_.lossy)
      workers_.parallel_for(grid_.tiles(), [&](size_t tile) {
        content_of_tile_[tile] = guess_content(grid_, static_cast<uint32_t>(tile), texture_, *frame_.target);
      });
    any_wrong_ = any_wrong_ || std::ranges::find(is_owed_, 1) != is_owed_.end();
    leads_ = is_lost_ = false;
    device_time_ = thread_time_ = {};
    if (choosing_.is_on()) timed(device_time_, [&] { begin_choosing(); });
    timed(thread_time_, [&] { find_tiles(); });
    all_plain_ = !settings_.lossy && due_tiles_.size() > frame.most_due;
    if (decider_ != nullptr) {
      try {
        decide();
      } catch (const Error& error) {
        give_up(error);
        find_tiles();
      }
    }
    is_all_drawn_ = is_drawn() && !is_picture_known_;
    if (choosing_.is_on()) timed(device_time_, [&] { draw_by_chooser(); });
    if (workers_choose_) timed(thread_time_, [&] { find_movement(); });
    std::ranges::fill(unit_counts_, uint8_t{0});
    std::ranges::fill(needs_texels_, uint8_t{0});
    if (settings_.lossy) choose_in_time();
    if (frame_.rate != nullptr) plan_tiles();
    slices_.clear();
    counts_ = {};
    next_row_ = 0;
    is_paced_ = settings_.lossy && frame_.seconds_left && !choosing_.is_on();
  }

  bool more() const { return next_row_ < rows(); }

  std::span<const CodedSlice> next() {
    if (next_row_ == 0 && is_paced_) begin_pace();
    begin_batch();
    if (batch_.is_begun) take_chosen();
    timed(thread_time_, [&] {
      for_items_of(batch_.tiles, [&](std::span<const uint32_t> tiles, SharedEncoder& encoder) {
        const SearchEffort effort = batch_.is_prepared ? SearchEffort{} : effort_of_next(tiles.size());
        for (const uint32_t tile : tiles)
          if (batch_.is_prepared ? is_late_[tile] == 0 : prepare_tile(tile, effort)) write_tile(tile, encoder);
      });
    });
    if (leads_) write_with_texels(batch_.tiles);
    if (settings_.lossy)
      workers_.parallel_for(batch_.end_row - batch_.first_row,
                            [&](size_t row) { join_runs(batch_.first_row + row, *EncoderInUse(encoders_)); });
    const size_t before = slices_.size();
    for (size_t row = batch_.first_row; row < batch_.end_row; ++row) gather(row);
    if (frame_.rate != nullptr) frame_.target = frame_.rate->go_on();
    return std::span<const CodedSlice>(slices_).subspan(before);
  }

  std::span<const CodedSlice> end() {
    ENSURE(!more());
    if (is_paced_) pace_.end(frame_.seconds_left());
    // A decider remembers where half-blocks are by itself.
    const size_t ways = settings_.lossy   ? WindowIndex::kWays
                        : workers_choose_ ? places_.size() * SubBlockIndex::kWays
                                          : 0;
    workers_.parallel_for(ways + rows(), [&](size_t item) {
      if (item >= ways)
        remember(item - ways);
      else if (settings_.lossy)
        remember_windows(static_cast<int>(item));
      else
        remember_places(item);
    });
    has_before_ = !is_lost_;
    is_waiting_ = settings_.lossy && is_any_waiting();
    if (settings_.lossy) learn_time();
    if (frame_.rate != nullptr) frame_.rate->end();
    if (decider_ != nullptr) let_decider_remember();
    if (decider_ != nullptr && workers_choose_) look_at_proof();
    if (choosing_.is_on() && proof_.is_open()) look_at_proof_of_chooser();
    frame_ = {};
    return slices_;
  }

 private:
  // Of tiles that are due, in a batch: enough that those who share them seldom wait for each other, and a part of the
  // frame, so that its beginning leaves while the rest is coded.
  static constexpr size_t kLeastOfABatch = 32, kLeastWithRate = 16;
  // What a thread takes at a time: some tiles take ten times as long as others.
  static constexpr size_t kTilesOfAnItem = 4;
  // A unit costs some bytes beside its symbols; short ones are joined, but so that many threads still have something to
  // decode, and that a payload is filled.
  static constexpr size_t kMostRunBytes = 400;
  static constexpr uint32_t kMostRunTiles = 8;
  static constexpr uint8_t kJoined = 0xFF;  // instead of a number of units: the tile is in a run

  template <typename Work>
  void timed(nanoseconds& time, const Work& work) const {
    const SteadyTime begun = proof_.now();
    work();
    time += proof_.now() - begun;
  }
  Slice whole(uint32_t tile) const { return {.tile = tile}; }
  size_t rows() const { return static_cast<size_t>(grid_.down()); }
  uint32_t tile_at(size_t row, int column) const { return static_cast<uint32_t>(row) * grid_.across() + column; }
  bool is_intra(uint32_t tile) const {
    return !has_before_ || (settings_.lossy && is_owed_[tile] != 0) ||
           (!frame_.intra.empty() && frame_.intra[tile] != 0);
  }
  bool gets_better(uint32_t tile) const {
    return frame_.target->finest > 0 && told_[tile].lambda > frame_.target->finest;
  }
  bool is_refined(uint32_t tile) const {
    return settings_.lossy && changed_[tile] == 0 && !is_intra(tile) && gets_better(tile);
  }
  bool is_due(uint32_t tile) const { return changed_[tile] != 0 || is_intra(tile) || is_refined(tile); }
  // What the encoder was given of the frame before: what decoders have of it is something else in lossy streams.
  const std::byte* given_before() const { return settings_.lossy ? source_before_.data() : before_.data(); }
  RdParameters target_of(uint32_t tile) const {
    if (is_intra(tile) && frame_.rate == nullptr && content_of_tile_[tile] == Content::screen)
      return finer_at_first(*frame_.target);
    if (!is_refined(tile)) return *frame_.target;
    return frame_.rate != nullptr ? rd_parameters_of_lambda(to_code_[place_in_due_[tile]].lambda)
                                  : finer(told_[tile], 1);
  }
  TileChanges* changes_of_tile(uint32_t tile) { return &changes_[size_t{tile} * grid_.component_count()]; }

  size_t due_in(size_t row) const {
    size_t due = 0;
    for (int column = 0; column < grid_.across(); ++column) due += is_of_batch(tile_at(row, column));
    return due;
  }
  bool is_of_batch(uint32_t tile) const { return is_due(tile) && (!settings_.lossy || is_late_[tile] == 0); }
  // By the number of threads; but the bytes hang on the batches where there is a rate.
  size_t end_of_batch() const {
    const size_t least =
        frame_.rate != nullptr ? kLeastWithRate : kLeastOfABatch * (static_cast<size_t>(workers_.threads()) + 1);
    // A device takes about as long for half of the tiles as for all.
    const int batches = leads_ && frame_.rate == nullptr ? 1 : settings_.batches;
    const size_t enough = std::max(least, grid_.tiles() / static_cast<size_t>(batches));
    size_t row = next_row_;
    for (size_t due = 0; row < rows() && due < enough; ++row) due += due_in(row);
    return row;
  }

  void find_tiles() {
    workers_.parallel_for(rows(), [&](size_t row) { find_changes(row); });
    changed_tiles_.clear();
    due_tiles_.clear();
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      if (changed_[tile] != 0) changed_tiles_.push_back(tile);
      if (!is_due(tile)) continue;
      place_in_due_[tile] = static_cast<uint32_t>(due_tiles_.size());
      due_tiles_.push_back(tile);
    }
  }

  void decide() {
    const auto movements = decider_->vote({.texture = frame_.texture,
                                           .is_first = !has_before_,
                                           .changed = changed_tiles_,
                                           .due = due_tiles_,
                                           .most_slice_bytes = settings_.most_slice_bytes,
                                           .intra = frame_.intra});
    if (all_plain_) return;
    for (size_t i = 0; i < changed_tiles_.size(); ++i) movements_[changed_tiles_[i]] = movements[i];
    count_votes();
    decider_->decide(votes_.vectors());
  }
  void let_decider_remember() {
    plain_tiles_.clear();
    std::ranges::copy_if(due_tiles_, std::back_inserter(plain_tiles_),
                         [&](uint32_t tile) { return goes_plain_[tile] != 0 || is_recoded_[tile] != 0; });
    try {
      decider_->remember(plain_tiles_);
    } catch (const Error& error) {
      give_up(error);
    }
  }
  static void tell_of(const Error& error) {
    log_warning("compact streams are coded by the processor from now on: {}", error.what());
  }
  void give_up(const Error& error) {
    tell_of(error);
    retired_ = std::move(decider_);
    if (workers_choose_) return;
    has_before_ = false;  // what workers need of the frame before is out of date
    workers_choose_ = true;
  }
  // Of a unit that the workers coded.
  void prove(const Slice& slice, Bytes coded) {
    const BackendSlice decided = decider_->decided(place_in_due_[slice.tile], slice.sub_slices, slice.sub_slice);
    proof_.hold_against(std::ranges::equal(decided.bytes, coded));
  }
  void look_at_proof() {
    if (proof_.look()) give_up(Error(ErrorKind::no_device, "the device gives other units than the processor does"));
  }

  void look_at_proof_of_chooser() {
    // Of a frame of which little is due a device takes longer than threads, and nobody minds.
    constexpr size_t kMuch = 4;
    if (due_tiles_.size() * kMuch >= grid_.tiles()) proof_.took(device_time_, thread_time_);
    const auto objection = proof_.look();
    if (objection == SelfCheck::Objection::others)
      give_up_choosing(Error(ErrorKind::no_device, "the device chooses other half-blocks than the processor does"));
    if (objection == SelfCheck::Objection::slower)
      give_up_choosing(Error(ErrorKind::no_device, fmt::format("the device takes {:.1f} ms for what takes it {:.1f}",
                                                               in_milliseconds(proof_.device_time()),
                                                               in_milliseconds(proof_.thread_time()))));
  }

  bool may_differ(uint32_t tile) const {
    return !has_before_ || frame_.changed.empty() || frame_.changed[tile] != 0 ||
           (settings_.lossy && is_late_[tile] != 0);
  }
  void find_changes(size_t row) {
    for (int column = 0; column < grid_.across(); ++column) {
      const uint32_t tile = tile_at(row, column);
      if (leads_) {
        changed_[tile] = choosing_.difference(tile) != 0 ? 1 : 0;
        changed_areas_[tile] = static_cast<uint8_t>(choosing_.difference(tile));
        if (changed_[tile] == 0) is_late_[tile] = 0;
        continue;
      }
      const bool may_differ = this->may_differ(tile);
      const std::byte* before = has_before_ ? given_before() : nullptr;
      if (!workers_choose_) {  // which half-blocks differ is its own affair
        changed_[tile] = may_differ && (!has_before_ || differs(grid_, whole(tile), texture_, before)) ? 1 : 0;
        continue;
      }
      changed_[tile] = 0;
      for (int i = 0; i < grid_.component_count(); ++i) {
        const Component& component = grid_.component(i);
        TileChanges& changes = changes_of_tile(tile)[i];
        changes =
            may_differ ? changes_of(component, grid_.blocks(component, whole(tile)), texture_, before) : TileChanges{};
        if (changes.any()) changed_[tile] = 1;
      }
      if (!settings_.lossy) continue;
      if (changed_[tile] == 0) is_late_[tile] = 0;  // it is again as it was told
      changed_areas_[tile] = areas_of(*changes_of_tile(tile));
      if (choosing_.is_on() &&
          choosing_.difference(tile) != (changed_areas_[tile] | (changed_[tile] != 0 ? kChanged : 0)))
        proof_.object();
    }
  }

  static uint8_t areas_of(const TileChanges& changes) {
    uint32_t areas = 0;
    for (int row = 0; row < kMostSliceRows; ++row)
      for (int area = 0; area < 4; ++area)
        if ((changes.rows[row] >> 4 * area & 15) != 0) areas |= 1u << (row / 4 * 4 + area);
    return static_cast<uint8_t>(areas);
  }

  void find_movement() {
    if (all_plain_) {
      planes_are_old_ = true;
      return;
    }
    const Component& first = grid_.component(0);
    if (planes_are_old_ && has_before_) {
      workers_.parallel_for(rows(), [&](size_t row) {
        for (int column = 0; column < grid_.across(); ++column) {
          const BlockRect rect = grid_.blocks(first, whole(tile_at(row, column)));
          TileChanges changes;
          std::fill_n(changes.rows.begin(), rect.y1 - rect.y0, static_cast<uint16_t>((1u << rect.width()) - 1));
          now_.update(first, before_.data(), rect, changes);
          then_.take(now_, rect);
        }
      });
    }
    planes_are_old_ = false;
    if (settings_.lossy) return find_movement_of_pixels();
    workers_.parallel_for((changed_tiles_.size() + kTilesOfAnItem - 1) / kTilesOfAnItem, [&](size_t item) {
      const size_t begin = item * kTilesOfAnItem, end = std::min(begin + kTilesOfAnItem, changed_tiles_.size());
      for (size_t i = begin; i < end; ++i) {
        const uint32_t tile = changed_tiles_[i];
        const TileChanges& changes = *changes_of_tile(tile);
        const BlockRect rect = grid_.blocks(first, whole(tile));
        now_.update(first, texture_, rect, changes);
        movements_[tile] =
            has_before_ ? vote(first, rect, changes, texture_, given_before(), places_.front()) : MotionCandidates{};
      }
    });
    count_votes();
  }

  bool is_any_waiting() const {
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile)
      if (is_late_[tile] != 0 || gets_better(tile)) return true;
    return false;
  }

  // Calls `call(tile)` for those that changed, on all threads.
  template <typename Call>
  void for_each_changed(const Call& call) {
    workers_.parallel_for((changed_tiles_.size() + kTilesOfAnItem - 1) / kTilesOfAnItem, [&](size_t item) {
      const size_t begin = item * kTilesOfAnItem, end = std::min(begin + kTilesOfAnItem, changed_tiles_.size());
      for (size_t i = begin; i < end; ++i) call(changed_tiles_[i]);
    });
  }

  // Of lossy streams: by the picture, where there is one, which moves by any number of pixels.
  void find_movement_of_pixels() {
    const Component& first = grid_.component(0);
    // What stands has been drawn before, but where the frame before came without a picture.
    is_picture_known_ = is_drawn();
    if (!leads_ && is_all_drawn_)
      workers_.parallel_for(grid_.tiles(), [&](size_t tile) { draw_tile(static_cast<uint32_t>(tile)); });
    else if (!leads_)
      for_each_changed([&](uint32_t tile) { draw_tile(tile); });
    if (!leads_)
      for_each_changed([&](uint32_t tile) {
        movements_[tile] =
            has_before_ ? windows_.vote(now_, given_, grid_.blocks(first, whole(tile))) : MotionCandidates{};
      });
    if (choosing_.is_on()) take_moved();
    count_votes();
  }

  void draw_tile(uint32_t tile) {
    const Component& first = grid_.component(0);
    const BlockRect rect = grid_.blocks(first, whole(tile));
    if (is_drawn()) {
      picture_.draw(*frame_.picture, rect);
      now_.draw(picture_, rect);
    } else {
      now_.update(first, texture_, rect, all_of(rect));
    }
  }
  static TileChanges all_of(const BlockRect& rect) {
    TileChanges all;
    std::fill_n(all.rows.begin(), rect.height(), static_cast<uint16_t>((1u << rect.width()) - 1));
    return all;
  }

  void count_votes() {
    votes_.clear();
    for (const uint32_t tile : changed_tiles_)
      for (const MotionCandidate& movement : movements_[tile]) votes_.add(movement);
    votes_.finish(settings_.lossy ? 1 : 4);
  }

  // Where frames take longer than there is time, as many tiles as there was time for in the one before: what moves
  // first, and of that what has waited longest. Else it would be the lower part of the picture that waits, for ever.
  void choose_in_time() {
    for (const uint32_t tile : due_tiles_) is_late_[tile] = 0;
    if (!frame_.seconds_left || due_tiles_.size() <= most_in_time_) return;
    order_ = due_tiles_;
    const auto place = [&](uint32_t tile) {
      return std::tuple(!is_intra(tile), is_refined(tile), -int{late_frames_[tile]}, tile);
    };
    std::ranges::nth_element(order_, order_.begin() + static_cast<std::ptrdiff_t>(most_in_time_), {}, place);
    for (const uint32_t tile : std::span(order_).subspan(most_in_time_)) is_late_[tile] = is_intra(tile) ? 0 : 1;
  }
  void begin_pace() {
    const auto tiles = std::ranges::count_if(due_tiles_, [&](uint32_t tile) { return is_of_batch(tile); });
    pace_.begin(static_cast<size_t>(tiles), frame_.seconds_left());
  }
  // On any of the threads: how so many tiles are to be coded that are coded now.
  SearchEffort effort_of_next(size_t tiles) {
    if (!is_paced_) return settings_.effort;
    const std::lock_guard lock(pace_mutex_);
    return pace_.take(tiles, frame_.seconds_left());
  }
  void learn_time() {
    constexpr size_t kLeast = 16;
    const size_t coded = counts_.inter + counts_.intra + counts_.plain;
    if (is_out_of_time_.exchange(false))
      most_in_time_ = std::max(coded, kLeast);
    else if (most_in_time_ < grid_.tiles() && coded + kLeast >= most_in_time_)
      most_in_time_ += most_in_time_ / 8 + 1;
  }
  // Which of the tiles that are due have room, by what there seems to be to tell of them.
  void plan_tiles() {
    to_code_.resize(due_tiles_.size());
    for (size_t i = 0; i < due_tiles_.size(); ++i) {
      const uint32_t tile = due_tiles_[i];
      TileToCode& to_code = to_code_[i] = {.tile = tile, .late = late_frames_[tile], .has_time = is_late_[tile] == 0};
      if (is_refined(tile)) to_code.lambda = told_[tile].lambda;
    }
    find_details();
    frame_.target = frame_.rate->plan(to_code_);
    if (frame_.rate->is_unsure()) {
      try_some();
      frame_.target = frame_.rate->plan(to_code_);
    }
    for (const TileToCode& to_code : to_code_) is_late_[to_code.tile] = to_code.is_chosen ? 0 : 1;
  }
  TileToMeasure to_measure(uint32_t tile) const {
    TileToMeasure of{.tile = tile,
                     .intra = is_refined(tile) || is_intra(tile),
                     .own = movements_[tile][0].blocks,
                     .usual = field_[tile]};
    for (MotionVector& v : of.usual) v = {v.x >> 1, v.y >> 1};  // from halves of a pixel
    return of;
  }
  TileComplexity detail_by_thread(const TileToMeasure& of) const {
    const BlockRect rect = grid_.blocks(grid_.component(0), whole(of.tile));
    if (of.intra) return {.detail = intra_complexity(now_, rect)};
    std::array<MotionVector, 1 + kMostVotedVectors> vectors{of.own};
    const auto votes = votes_.vectors();
    std::ranges::copy(votes, vectors.begin() + 1);
    return inter_complexity(now_, given_, then_, rect, std::span(vectors).first(1 + votes.size()), of.usual);
  }
  void find_details() {
    to_measure_.resize(due_tiles_.size());
    for (size_t i = 0; i < due_tiles_.size(); ++i) to_measure_[i] = to_measure(due_tiles_[i]);
    std::span<const TileComplexity> by_chooser;
    if (choosing_.is_on()) try {
        by_chooser = choosing_.details(to_measure_, votes_.vectors());
      } catch (const Error& error) {
        give_up_choosing(error);
      }
    workers_.parallel_for(due_tiles_.size(), [&](size_t i) {
      const uint32_t tile = due_tiles_[i];
      TileComplexity detail;
      if (leads_ && !by_chooser.empty()) {
        detail = by_chooser[i];
      } else if (!leads_) {
        detail = detail_by_thread(to_measure_[i]);
        if (!by_chooser.empty() && by_chooser[i] != detail) proof_.object();
      }
      to_code_[i].detail = detail.detail;
      to_code_[i].need = is_refined(tile)                   ? TileNeed::finer
                         : is_intra(tile) || detail.is_anew ? TileNeed::anew
                                                            : TileNeed::moving;
    });
  }
  // What some tiles from all over the picture take, coded as planned. They are coded again afterwards.
  void try_some() {
    constexpr size_t kOneOf = 8, kLeast = 24;
    trial_.clear();
    for (size_t i = to_code_.size() < kLeast ? 0 : kOneOf / 2; i < to_code_.size();
         i += to_code_.size() < kLeast ? 1 : kOneOf)
      if (to_code_[i].is_chosen && to_code_[i].need != TileNeed::finer) trial_.push_back(to_code_[i].tile);
    if (leads_) {
      batch_.tiles = trial_;
      choose();
      if (batch_.is_begun) take_chosen();
    }
    const bool is_led = leads_;
    workers_.parallel_for(trial_.size(), [&](size_t i) {
      if (is_led ? choosing_.has_found(trial_[i]) : prepare_tile(trial_[i], pace_.effort()))
        write_tile(trial_[i], *EncoderInUse(encoders_));
    });
    if (is_led) write_with_texels(trial_);
    if (is_led) choosing_.forget_chosen(trial_);
    for (const uint32_t tile : trial_) {
      const auto slices = std::span(units_of_tile_).subspan(size_t{tile} * 8, unit_counts_[tile]);
      size_t bytes = 0;
      for (const CodedSlice& slice : slices) bytes += slice.bytes.size();
      if (!slices.empty()) frame_.rate->tried(to_code_[place_in_due_[tile]], bytes);
      unit_counts_[tile] = 0;
    }
  }
  // Of a tile that was coded, or the run that begins with it. What has no room is the next frame's, but for refinements
  // that would have none there either.
  bool has_room(uint32_t tile) {
    const CodedSlice* coded = &units_of_tile_[size_t{tile} * 8];
    const uint16_t tiles = coded->slice.tiles;
    const Room room =
        frame_.rate->take(std::span(to_code_).subspan(place_in_due_[tile], tiles), {coded, unit_counts_[tile]});
    if (room == Room::there) return true;
    for (uint32_t t = tile; t < tile + tiles; ++t) {
      is_late_[t] = room == Room::later ? 1 : 0;
      if (room == Room::never) told_[t].lambda = 0;  // it stays as it is
    }
    return false;
  }

  // How it is to be coded, of lossy streams by `effort`. False: there is no time for it.
  bool plan_tile(uint32_t tile, const SearchEffort& effort) {
    const bool intra = is_intra(tile);
    const bool is_late = frame_.seconds_left && frame_.seconds_left() <= 0;
    if (settings_.lossy) {
      is_late_[tile] = is_late && !intra ? 1 : 0;
      if (is_late) is_out_of_time_ = true;
      if (is_late_[tile] != 0) return false;  // the next frame's then
      coding_[tile] = target_of(tile);
      efforts_[tile] = effort;
    }
    goes_plain_[tile] = all_plain_ || (is_late && !settings_.lossy) ? 1 : 0;
    is_recoded_[tile] = 0;
    return true;
  }
  // Where its areas moved from.
  void search_tile(uint32_t tile) {
    TileVectors& vectors = field_[tile];
    if (settings_.lossy) lambda_weights_[tile].fill(kFullLambda);
    if (is_intra(tile) || goes_plain_[tile] != 0) {
      vectors.fill({});
      return;
    }
    const BlockRect rect = grid_.blocks(grid_.component(0), whole(tile));
    const MotionVector& own = movements_[tile][0].blocks;
    if (settings_.lossy) {
      search_half_vectors(rect, *changes_of_tile(tile), now_, then_, own, votes_.vectors(), frame_.target->vector_price,
                          vectors);
      // What a screen shows stays, also where the frame before did not tell it.
      if (content_of_tile_[tile] != Content::screen)
        lambda_weights_[tile] = lambda_weights(rect, now_, given_, vectors, coding_[tile].lambda);
    } else if (workers_choose_) {
      search_vectors(rect, *changes_of_tile(tile), now_, then_, own, votes_.vectors(), vectors);
    } else {
      vectors = decider_->decided(place_in_due_[tile], 1, 0).vectors;
    }
  }
  bool prepare_tile(uint32_t tile, const SearchEffort& effort) {
    if (!plan_tile(tile, effort)) return false;
    search_tile(tile);
    return true;
  }
  void write_tile(uint32_t tile, SharedEncoder& encoder) {
    const TileVectors chosen_vectors = field_[tile];
    code_tile(tile, encoder);
    if (!leads_ || needs_texels_[tile] == 0) return;
    // Once they are there, from the beginning.
    field_[tile] = chosen_vectors;
    is_recoded_[tile] = unit_counts_[tile] = 0;
  }
  // Those that the chooser's symbols were not enough for.
  void write_with_texels(std::span<const uint32_t> tiles) {
    without_texels_.clear();
    std::ranges::copy_if(tiles, std::back_inserter(without_texels_),
                         [&](uint32_t tile) { return needs_texels_[tile] != 0; });
    if (without_texels_.empty()) return;
    try {
      if (choosing_.is_on()) choosing_.fetch_texels();
    } catch (const Error& error) {
      give_up_choosing(error);
    }
    for (const uint32_t tile : without_texels_) {
      needs_texels_[tile] = 0;
      if (choosing_.texels().empty()) is_late_[tile] = 1;
    }
    if (!choosing_.texels().empty())
      for_items_of(without_texels_, [&](std::span<const uint32_t> some, SharedEncoder& encoder) {
        for (const uint32_t tile : some) write_tile(tile, encoder);
      });
    choosing_.drop_texels();  // those of the next batch come later
  }
  void code_tile(uint32_t tile, SharedEncoder& encoder) {
    TileVectors& vectors = field_[tile];
    Reference reference;
    if (!is_intra(tile) && goes_plain_[tile] == 0) {
      reference = {.texture = before_.data(), .places = places_.data(), .vectors = vectors};
      if (settings_.lossy) reference.lambda_weights = lambda_weights_[tile];
    }
    const MutableBytes memory = MutableBytes(memory_).subspan(tile * tile_bytes_, tile_bytes_);
    code_whole(tile, encoder, reference, memory);
    if (reference.texture == nullptr || !touches_wrong(tile)) return;
    vectors.fill({});
    is_recoded_[tile] = 1;
    code_whole(tile, encoder, {}, memory);
  }

  void code_whole(uint32_t tile, SharedEncoder& encoder, const Reference& reference, MutableBytes memory) {
    for (int sub_slices = 1;; sub_slices *= 2) {
      ENSURE(sub_slices <= grid_.most_sub_slices());
      if (code_strips(tile, sub_slices, encoder, reference, memory)) return;
    }
  }

  // Whether the tile, as it was just coded, needs one that it may not need.
  bool touches_wrong(uint32_t tile) const {
    const bool is_refreshed = tile < frame_.refreshed && frame_.refreshed < grid_.tiles();
    if (!any_wrong_ && !is_refreshed) return false;
    const auto is_wrong = [&](uint32_t t) {
      return (!frame_.wrong.empty() && frame_.wrong[t] != 0) || (is_refreshed && t >= frame_.refreshed) ||
             (settings_.lossy && is_owed_[t] != 0);
    };
    const auto slices = std::span(units_of_tile_).subspan(size_t{tile} * 8, unit_counts_[tile]);
    return std::ranges::any_of(slices, [&](const CodedSlice& slice) {
      return slice.touched.any || std::ranges::any_of(slice.touched.list(), is_wrong);
    });
  }

  // Empty where they have no room.
  Bytes coded_by(SharedEncoder& encoder, const Slice& slice, const Reference& reference, MutableBytes memory) {
    if (!settings_.lossy) return memory.last(encoder.encoder.encode(grid_, slice, texture_, reference, memory));
    // Strips, and what must not need the frame before after all, are the threads'.
    const bool is_chosen = choosing_.has_chosen(slice.tile) && slice.sub_slices == 1 && is_recoded_[slice.tile] == 0;
    is_as_chosen_[slice.tile] = is_chosen && !proof_.is_open() ? 1 : 0;
    if (is_as_chosen_[slice.tile] == 0 && leads_ && choosing_.texels().empty()) {
      needs_texels_[slice.tile] = 1;
      return {};
    }
    if (is_as_chosen_[slice.tile] != 0) {
      const EncodedTile& chosen = choosing_.chosen(slice.tile);
      copy_slice(grid_, slice, choosing_.texture(), made_.data());
      if (reference.texture != nullptr) RdSliceEncoder::touch_chosen(grid_, slice.tile, chosen, *reference.touched);
      content_of_tile_[slice.tile] = chosen.content;
      return chosen.bytes;
    }
    copy_slice(grid_, slice, texture_, made_.data());
    const size_t bytes = encoder.lossy.encode(grid_, slice, coding_[slice.tile], efforts_[slice.tile],
                                              content_of_tile_[slice.tile], source(), made_.data(), reference, memory);
    if (is_chosen) {
      const EncodedTile& chosen = choosing_.chosen(slice.tile);
      encoder.lossy.list_chosen(grid_, chosen, encoder.run);
      const bool is_same = std::ranges::equal(memory.last(bytes), chosen.bytes) &&
                           encoder.run == encoder.lossy.symbols() && chosen.content == encoder.lossy.content() &&
                           !differs(grid_, slice, made_.data(), choosing_.texture());
      proof_.hold_against(is_same);
    }
    content_of_tile_[slice.tile] = encoder.lossy.content();
    if (slice.sub_slices == 1) {
      symbols_of_tile_[slice.tile].clear();
      symbols_of_tile_[slice.tile].append(encoder.lossy.symbols(), 0);
    }
    return memory.last(bytes);
  }
  RdSource source() const {
    if (leads_) return {.texels = choosing_.texels()};
    return {.picture = is_drawn() ? &picture_ : nullptr};
  }
  bool is_drawn() const { return frame_.picture != nullptr && picture_.width() > 0; }
  const std::byte* made() const { return settings_.lossy ? made_.data() : texture_; }
  Coding coding_by(const Reference& reference) const {
    if (settings_.lossy) return reference.texture != nullptr ? Coding::lossy_inter : Coding::lossy_intra;
    return reference.texture != nullptr ? Coding::inter : Coding::intra;
  }
  Bytes decided(const Slice& slice, const Reference& reference, ReferencedTiles& touched) const {
    const BackendSlice decided = decider_->decided(place_in_due_[slice.tile], slice.sub_slices, slice.sub_slice);
    if (reference.texture != nullptr) add_touched(grid_, slice, decided, touched);
    return decided.bytes;
  }

  bool code_strips(uint32_t tile, int sub_slices, SharedEncoder& encoder, const Reference& reference,
                   MutableBytes memory) {
    size_t end = memory.size();
    CodedSlice* coded = &units_of_tile_[size_t{tile} * 8];
    uint8_t count = 0;
    for (int sub_slice = sub_slices; sub_slice-- > 0;) {
      const Slice slice{tile, static_cast<uint8_t>(sub_slices), static_cast<uint8_t>(sub_slice)};
      const size_t plain = grid_.raw_bytes(slice);
      CodedSlice& unit_coded = coded[sub_slices - 1 - sub_slice];
      unit_coded = {};
      if (plain == 0) continue;
      const size_t room = std::min(plain, settings_.most_slice_bytes + 1) - 1;
      Reference of_strip = reference;
      if (sub_slices > 1) of_strip.places = nullptr;  // what is coded once more is coded simply
      if (reference.texture != nullptr) {
        const size_t first_area = static_cast<size_t>(sub_slice) * 2 / sub_slices * 4;
        of_strip.vectors = reference.vectors.subspan(first_area);
        if (settings_.lossy) of_strip.lambda_weights = reference.lambda_weights.subspan(first_area);
      }
      ReferencedTiles touched;
      of_strip.touched = &touched;
      Bytes bytes;
      if (goes_plain_[tile] == 0) {
        const bool by_worker = workers_choose_ || is_recoded_[tile] != 0;
        bytes = by_worker ? coded_by(encoder, slice, of_strip, memory.subspan(end - room, room))
                          : decided(slice, reference, touched);
        if (decider_ != nullptr && by_worker && is_recoded_[tile] == 0) prove(slice, bytes);
      }
      Coding coding = coding_by(reference);
      if (bytes.empty()) {
        if (plain > settings_.most_slice_bytes) return false;
        bytes = MutableBytes(memory).subspan(end - plain, plain);
        write_raw(grid_, slice, texture_, memory.subspan(end - plain, plain));
        if (settings_.lossy) {
          copy_slice(grid_, slice, texture_, made_.data());
          is_as_chosen_[tile] = 0;
        }
        coding = Coding::raw;
      }
      end -= bytes.size();
      unit_coded = {slice, coding, slice_check(grid_, slice, made()), bytes,
                    needs_reference(coding) ? touched : ReferencedTiles{}};
      ++count;
    }
    // From the top.
    std::reverse(coded, coded + sub_slices);
    std::stable_partition(coded, coded + sub_slices, [](const CodedSlice& slice) { return !slice.bytes.empty(); });
    unit_counts_[tile] = count;
    return true;
  }

  // Calls `call(some of them, encoder)` on all threads.
  template <typename Call>
  void for_items_of(std::span<const uint32_t> tiles, const Call& call) {
    workers_.parallel_for((tiles.size() + kTilesOfAnItem - 1) / kTilesOfAnItem, [&](size_t item) {
      const size_t begin = item * kTilesOfAnItem;
      call(tiles.subspan(begin, std::min(kTilesOfAnItem, tiles.size() - begin)), *EncoderInUse(encoders_));
    });
  }

  void begin_batch() {
    batch_.first_row = next_row_;
    batch_.end_row = next_row_ = end_of_batch();
    batch_.tiles.clear();
    for (size_t row = batch_.first_row; row < batch_.end_row; ++row)
      for (int column = 0; column < grid_.across(); ++column)
        if (const uint32_t tile = tile_at(row, column); is_of_batch(tile)) batch_.tiles.push_back(tile);
    batch_.is_prepared = batch_.is_begun = false;
    if (is_lost_) {
      lose();
    } else if (choosing_.is_on()) {
      choose();
    }
  }
  // What was to be chosen is left for the next frame.
  void lose() {
    batch_.is_prepared = true;
    for (const uint32_t tile : batch_.tiles)
      if (!choosing_.has_found(tile)) is_late_[tile] = 1;
  }

  void choose() {
    batch_.is_prepared = true;
    batch_.to_choose.clear();
    for (const uint32_t tile : batch_.tiles)
      if (plan_tile(tile, settings_.effort)) batch_.to_choose.push_back(to_choose(tile));
    batch_.begun_at = proof_.now();
    try {
      choosing_.choose(batch_.to_choose, votes_.vectors());
      batch_.is_begun = true;
    } catch (const Error& error) {
      give_up_choosing(error);
    }
    if (is_lost_) return lose();
    if (leads_) return;
    timed(thread_time_, [&] {
      for_items_of(batch_.tiles, [&](std::span<const uint32_t> tiles, SharedEncoder&) {
        for (const uint32_t tile : tiles)
          if (is_late_[tile] == 0) search_tile(tile);
      });
    });
  }
  TileToEncode to_choose(uint32_t tile) const {
    return {.tile = tile,
            .intra = is_intra(tile),
            .expected = content_of_tile_[tile],
            .target = coding_[tile],
            .changed_areas = changed_areas_[tile],
            .own = movements_[tile][0].blocks,
            .field = field_[tile]};
  }

  // What the chooser is told of the frame before, and it of what changed.
  void begin_choosing() {
    compared_.clear();
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile)
      if (may_differ(tile)) compared_.push_back(tile);
    const bool is_to_lead = !proof_.is_open();
    try {
      if (!choosing_.is_started()) start_choosing();
      choosing_.begin({.texture = frame_.texture,
                       .before = has_before_ ? Bytes(before_) : Bytes(),
                       .most_slice_bytes = settings_.most_slice_bytes,
                       .compared = compared_,
                       .effort = settings_.effort});
      leads_ = is_to_lead;
    } catch (const Error& error) {
      give_up_choosing(error);
      if (is_to_lead) begin_anew();
    }
  }
  void draw_by_chooser() {
    try {
      choosing_.draw(is_drawn() ? frame_.picture : nullptr, is_all_drawn_ ? all_tiles_ : changed_tiles_,
                     changed_tiles_);
    } catch (const Error& error) {
      const bool led = std::exchange(leads_, false);
      give_up_choosing(error);
      if (!led) return;
      begin_anew();
      is_all_drawn_ = is_drawn();
      find_tiles();
    }
  }
  // By threads, without what they were not told of the frame before.
  void begin_anew() {
    has_before_ = false;
    std::ranges::fill(is_owed_, uint8_t{1});
    any_wrong_ = true;
  }
  void take_moved() {
    for (size_t i = 0; i < changed_tiles_.size(); ++i) {
      MotionCandidates& movements = movements_[changed_tiles_[i]];
      if (leads_)
        movements = choosing_.moved()[i];
      else if (movements != choosing_.moved()[i])
        proof_.object();
    }
  }
  void start_choosing() {
    std::vector<int16_t> colours;
    if (is_picture_known_) {
      for (int y = 0; y < now_.height(); ++y)
        for (int x = 0; x < now_.width(); ++x) {
          const uint8_t* const at = picture_.pixel(x, y);
          colours.push_back(static_cast<int16_t>(at[0] - at[2]));
          colours.push_back(static_cast<int16_t>(2 * at[1] - at[0] - at[2]));
        }
    }
    choosing_.start({.before = has_before_ ? Bytes(before_) : Bytes(),
                     .given = has_before_ ? Bytes(source_before_) : Bytes(),
                     .drawn = now_.pixels(),
                     .of_given = given_.pixels(),
                     .colours = colours,
                     .windows = windows_.entries()},
                    workers_);
  }
  void take_chosen() {
    try {
      choosing_.take_chosen(batch_.to_choose);
      device_time_ += proof_.now() - batch_.begun_at;
    } catch (const Error& error) {
      give_up_choosing(error);
      if (is_lost_) lose();
      return;
    }
    for (const TileToEncode& to_choose : batch_.to_choose) {
      const uint32_t tile = to_choose.tile;
      const EncodedTile& chosen = choosing_.chosen(tile);
      if (!leads_ && (field_[tile] != chosen.vectors || lambda_weights_[tile] != chosen.lambda_weights))
        proof_.object();
      if (!leads_) continue;
      field_[tile] = chosen.vectors;
      lambda_weights_[tile] = chosen.lambda_weights;
    }
  }
  // What it chose so far stands. Where it led, threads do not know enough to go on before the next frame.
  void give_up_choosing(const Error& error) {
    tell_of(error);
    choosing_.retire();
    if (!leads_) return;
    is_lost_ = true;
    is_picture_known_ = false;
    if (batch_.is_begun) lose();
    batch_.is_begun = false;
  }

  // Tiles beside each other that have one unit each and together few bytes become one.
  bool can_join(uint32_t tile) const {
    const CodedSlice& slice = units_of_tile_[size_t{tile} * 8];
    return unit_counts_[tile] == 1 && slice.slice.sub_slices == 1 && is_lossy(slice.coding);
  }
  void join_runs(size_t row, SharedEncoder& encoder) {
    const uint32_t end = tile_at(row, 0) + static_cast<uint32_t>(grid_.across());
    const size_t most_bytes = std::min({kMostRunBytes, tile_bytes_, settings_.most_slice_bytes});
    for (uint32_t tile = tile_at(row, 0); tile < end;) {
      uint32_t last = tile;
      if (can_join(tile)) {
        CodedSlice& run = units_of_tile_[size_t{tile} * 8];
        size_t bytes = run.bytes.size();
        for (uint32_t next = tile + 1; next < end && next - tile < kMostRunTiles && can_join(next); ++next) {
          const CodedSlice& slice = units_of_tile_[size_t{next} * 8];
          bytes += slice.bytes.size();
          if (slice.coding != run.coding || bytes > most_bytes || content_of_tile_[next] != content_of_tile_[tile] ||
              coding_[next].quantiser != coding_[tile].quantiser ||
              (frame_.rate != nullptr && need_of(next) != need_of(tile)))
            break;
          last = next;
        }
        if (last > tile) join(tile, last, run, encoder);
      }
      tile = last + 1;
    }
  }
  TileNeed need_of(uint32_t tile) const { return to_code_[place_in_due_[tile]].need; }
  void join(uint32_t first, uint32_t last, CodedSlice& run, SharedEncoder& encoder) {
    run.slice.tiles = static_cast<uint16_t>(last - first + 1);
    for (uint32_t tile = first; tile <= last; ++tile)
      if (is_as_chosen_[tile] != 0) encoder.lossy.list_chosen(grid_, choosing_.chosen(tile), symbols_of_tile_[tile]);
    for (uint32_t tile = first + 1; tile <= last; ++tile) {
      const CodedSlice& slice = units_of_tile_[size_t{tile} * 8];
      for (const uint32_t touched : slice.touched.list()) run.touched.add(touched);
      run.touched.any = run.touched.any || slice.touched.any;
      unit_counts_[tile] = kJoined;
    }
    const MutableBytes memory = MutableBytes(run_memory_).subspan(first * tile_bytes_, tile_bytes_);
    const size_t bytes = RdSliceEncoder::write_run(std::span(symbols_of_tile_).subspan(first, run.slice.tiles),
                                                   run.coding == Coding::lossy_intra, encoder.run, memory);
    ENSURE(bytes > 0 && bytes <= settings_.most_slice_bytes);  // less than its tiles alone
    run.bytes = memory.last(bytes);
    run.check = slice_check(grid_, run.slice, made());
  }

  void gather(size_t row) {
    for (int column = 0; column < grid_.across(); ++column) {
      const uint32_t tile = tile_at(row, column);
      if (unit_counts_[tile] == kJoined) continue;
      if (unit_counts_[tile] == 0) {
        ++(settings_.lossy && is_late_[tile] != 0 && !is_refined(tile) ? counts_.late : counts_.skipped);
        continue;
      }
      if (frame_.rate != nullptr && !has_room(tile)) {
        (is_refined(tile) ? counts_.skipped : counts_.late) += units_of_tile_[size_t{tile} * 8].slice.tiles;
        continue;
      }
      const CodedSlice* coded = &units_of_tile_[size_t{tile} * 8];
      slices_.insert(slices_.end(), coded, coded + unit_counts_[tile]);
      switch (coded->coding) {
        case Coding::inter:
        case Coding::lossy_inter: counts_.inter += coded->slice.tiles; break;
        case Coding::intra:
        case Coding::lossy_intra: counts_.intra += coded->slice.tiles; break;
        case Coding::raw: ++counts_.plain; break;
      }
    }
  }

  void remember(size_t row) {
    const Component& first = grid_.component(0);
    for (int column = 0; column < grid_.across(); ++column) {
      const uint32_t tile = tile_at(row, column);
      if (settings_.lossy) {
        remember_lossy(tile);
        continue;
      }
      if (changed_[tile] == 0) continue;
      copy_slice(grid_, whole(tile), texture_, before_.data());
      if (workers_choose_ && !planes_are_old_) then_.take(now_, grid_.blocks(first, whole(tile)));
    }
  }

  void remember_lossy(uint32_t tile) {
    const bool is_late = is_due(tile) && is_late_[tile] != 0;
    late_frames_[tile] = is_late ? static_cast<uint8_t>(std::min(late_frames_[tile] + 1, 255)) : uint8_t{0};
    if (is_late && is_intra(tile)) is_owed_[tile] = 1;
    if (!is_due(tile) || is_late) return;
    choosing_.tell(tile, changed_[tile] != 0, is_as_chosen_[tile] != 0);
    is_owed_[tile] = 0;
    told_[tile] = coding_[tile];
    if (changed_[tile] != 0 && !leads_) {
      copy_slice(grid_, whole(tile), texture_, source_before_.data());
      given_.take(now_, grid_.blocks(grid_.component(0), whole(tile)));
    }
    copy_slice(grid_, whole(tile), made_.data(), before_.data());
    if (leads_) return;
    const Component& first = grid_.component(0);
    const BlockRect rect = grid_.blocks(first, whole(tile));
    then_.update(first, before_.data(), rect, all_of(rect));
  }

  void remember_windows(int way) {
    if (leads_) return;
    for (const uint32_t tile : changed_tiles_) windows_.put(now_, grid_.blocks(grid_.component(0), whole(tile)), way);
  }

  // Items are the ways of a component: see SubBlockIndex::put().
  void remember_places(size_t item) {
    const int i = static_cast<int>(item) / SubBlockIndex::kWays, way = static_cast<int>(item) % SubBlockIndex::kWays;
    const Component& component = grid_.component(i);
    SubBlockIndex& places = places_[i];
    const auto rows = static_cast<uint32_t>(component.tile_rows());
    for (auto first = changed_tiles_.begin(); first != changed_tiles_.end();) {
      const uint32_t tile_row = *first / grid_.across();
      const auto end =
          std::find_if(first, changed_tiles_.end(), [&](uint32_t tile) { return tile / grid_.across() != tile_row; });
      for (uint32_t row = 0; row < rows; ++row) {
        const int y = static_cast<int>(tile_row * rows + row);
        // In every eight columns there is one of this way; a tile's columns are a multiple of eight.
        const uint32_t of_way = 0x0101u << SubBlockIndex::way_of(way, y);
        for (auto tile = first; tile != end; ++tile) {
          const int x0 = static_cast<int>(*tile % grid_.across()) * component.tile_columns();
          for_each_bit(changes_of_tile(*tile)[i].rows[row] & of_way,
                       [&](int x) { places.put(load_sub_block(texture_ + component.at(x0 + x, y)), x0 + x, y); });
        }
      }
      first = end;
    }
  }

  const TileGrid grid_;
  const FrameEncoderSettings settings_;
  Workers& workers_;
  FrameToEncode frame_;  // at hand
  const std::byte* texture_ = nullptr;
  size_t next_row_ = 0;
  bool has_before_ = false;
  bool all_plain_ = false;         // the frame at hand
  bool any_wrong_ = false;         // of FrameToEncode::wrong, or of tiles that were never told
  std::vector<std::byte> before_;  // the frame before
  // Of lossy streams: the frame before as it was given; the one at hand as decoders will have it; by tile, what it was
  // told by last, and is in the frame at hand; by tile, whether there was no time or room for it, for how many frames,
  // and whether it is told alone once there is.
  std::vector<std::byte> source_before_, made_;
  std::vector<SymbolList> symbols_of_tile_;
  std::vector<Content> content_of_tile_;  // as it was coded last, or probably will be
  std::vector<std::byte> run_memory_;     // of runs, at the place of their first tile
  std::vector<RdParameters> told_, coding_;
  std::vector<SearchEffort> efforts_;  // of the frame at hand
  std::vector<LambdaWeights> lambda_weights_;
  LossyBackendSession choosing_;
  bool leads_ = false;    // in the frame at hand it draws and searches alone; threads see nothing of the picture
  bool is_lost_ = false;  // the frame at hand, of what was not chosen yet: it led, and is gone
  std::vector<uint32_t> compared_, all_tiles_;
  std::vector<uint8_t> changed_areas_;  // of lossy streams, by tile, a bit each
  std::vector<TileToMeasure> to_measure_;
  // Of the frame at hand: the chooser's symbols are not enough, and threads choose by what it came near to; what is
  // told is as it chose.
  std::vector<uint8_t> needs_texels_, is_as_chosen_;
  std::vector<uint32_t> without_texels_;
  Batch batch_;
  std::vector<uint8_t> is_late_, late_frames_, is_owed_;
  std::vector<uint32_t> order_;  // of tiles that are due
  std::mutex pace_mutex_;        // while threads code
  SpeedControl pace_;
  bool is_paced_ = false;           // the frame at hand: a device takes the same time whatever is tried
  size_t most_in_time_ = SIZE_MAX;  // tiles, by the frames before
  std::atomic<bool> is_out_of_time_ = false;
  std::vector<TileToCode> to_code_;  // where there is a rate: those that are due, in their order
  bool is_waiting_ = false;
  std::vector<uint8_t> changed_;  // tiles of the frame at hand
  std::vector<uint32_t> changed_tiles_, due_tiles_, plain_tiles_;
  std::vector<uint32_t> trial_;              // of the tiles that are due, to see what they take
  std::vector<uint32_t> place_in_due_;       // of tiles that are due
  std::vector<MotionCandidates> movements_;  // of those that changed, as they vote
  std::vector<TileChanges> changes_;         // of them, a component each
  std::vector<uint8_t> goes_plain_;          // without a try, of those of the frame at hand that are due
  std::vector<uint8_t> is_recoded_;          // alone, as they may not need what they needed, of those that are due
  PixelPlane now_, then_;                    // the frame at hand; the one before, as decoders have it
  PixelPlane given_;                         // of lossy streams: the one before, as it was given
  WindowIndex windows_;
  bool is_picture_known_ = false;  // of the frame before, all of it
  bool is_all_drawn_ = false;      // for the frame at hand, also what did not change
  SourcePicture picture_;          // of lossy streams: of tiles that do not change it is that of the frames before
  bool planes_are_old_ = false;    // both; where all went plain
  GlobalMotion votes_;
  std::vector<SubBlockIndex> places_;  // in before_, by component
  std::vector<TileVectors> field_;     // by tile, of the frame before
  std::deque<SharedEncoder> encoders_;
  size_t tile_bytes_ = 0;
  std::vector<std::byte> memory_;          // of the coded units, tile_bytes_ a tile
  std::vector<CodedSlice> units_of_tile_;  // eight a tile
  std::vector<uint8_t> unit_counts_;
  std::vector<CodedSlice> slices_;
  EncodedCounts counts_;
  std::unique_ptr<LosslessBackend> decider_;  // nullptr: the workers choose
  bool workers_choose_ = true;                // of the frame at hand; with a decider: its units are held against theirs
  SelfCheck proof_;                           // of its units, or of the chooser's
  nanoseconds device_time_{}, thread_time_{};  // of the frame at hand, where both choose
  std::unique_ptr<LosslessBackend> retired_;   // may have units of the frame encoded last
};

FrameEncoder::FrameEncoder(const TextureDesc& texture, const FrameEncoderSettings& settings, Workers& workers)
    : impl_(std::make_unique<Impl>(texture, settings, workers, nullptr)) {}
FrameEncoder::FrameEncoder(const TextureDesc& texture, const FrameEncoderSettings& settings, Workers& workers,
                           const CodingTraining& training)
    : impl_(std::make_unique<Impl>(texture, settings, workers, &training)) {}
FrameEncoder::~FrameEncoder() = default;
const TileGrid& FrameEncoder::grid() const { return impl_->grid(); }
std::span<const CodedSlice> FrameEncoder::encode(const FrameToEncode& frame) {
  begin(frame);
  while (more()) next();
  return end();
}
void FrameEncoder::begin(const FrameToEncode& frame) { impl_->begin(frame); }
bool FrameEncoder::more() const { return impl_->more(); }
std::span<const CodedSlice> FrameEncoder::next() { return impl_->next(); }
std::span<const CodedSlice> FrameEncoder::end() { return impl_->end(); }
void FrameEncoder::forget() { impl_->forget(); }
EncodedCounts FrameEncoder::counts() const { return impl_->counts(); }
bool FrameEncoder::is_waiting() const { return impl_->is_waiting(); }
void FrameEncoder::use_backend(std::unique_ptr<LossyBackend> chooser, const SelfCheckSettings& proof) {
  impl_->use_backend(std::move(chooser), proof);
}
void FrameEncoder::use_backend(std::unique_ptr<LosslessBackend> decider, uint32_t self_check_slices) {
  impl_->use_backend(std::move(decider), self_check_slices);
}

}  // namespace texcast::compact
