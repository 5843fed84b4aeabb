#include "compact/frame_encoder.h"

#include <algorithm>

#include "base/ensure.h"
#include "coded_tiles.h"
#include "coding_strategy.h"
#include "frame_state.h"
#include "lossless_strategy.h"
#include "rd_strategy.h"
#include "scheduler.h"

namespace texcast::compact {
namespace {

bool fits(const TileGrid& grid, std::span<const uint8_t> flags) {
  return flags.empty() || flags.size() == grid.tiles();
}

}  // namespace

class FrameEncoder::Impl {
 public:
  Impl(const TextureDesc& texture, const FrameEncoderSettings& settings, Workers& workers,
       const CodingTraining* training)
      : state_(texture, settings, workers),
        scheduler_(state_.grid),
        tiles_(state_.grid, settings.most_slice_bytes),
        is_lossy_(settings.lossy) {
    if (is_lossy_)
      strategy_ = std::make_unique<RdStrategy>(state_, scheduler_, tiles_, training);
    else
      strategy_ = std::make_unique<LosslessStrategy>(state_, scheduler_, tiles_, training);
    batch_.tiles.reserve(state_.grid.tiles());
    slices_.reserve(tiles_.most_slices());
  }

  const TileGrid& grid() const { return state_.grid; }
  EncodedCounts counts() const { return counts_; }
  bool is_waiting() const { return strategy_->is_waiting(); }
  Bytes reconstruction() const { return state_.reference; }
  bool is_checking() const { return strategy_->is_checking(); }
  void forget() {
    state_.has_reference = false;
    std::ranges::fill(state_.vectors, TileVectors{});
    scheduler_.forget();
    strategy_->forget();
  }
  void use_backend(std::unique_ptr<EncoderBackend> backend, const SelfCheckSettings& check) {
    strategy_->use_backend(std::move(backend), check);
  }

  void begin(const FrameToEncode& frame) {
    const Workers::Awake awake(state_.workers);
    const TileGrid& grid = state_.grid;
    ENSURE(frame.texture.size() == grid.texture_bytes());
    ENSURE(fits(grid, frame.changed) && fits(grid, frame.intra) && fits(grid, frame.wrong));
    ENSURE(frame.refreshed <= grid.tiles());
    ENSURE(frame.target.has_value() == is_lossy_ && (is_lossy_ || frame.rate == nullptr));
    state_.input = frame;
    scheduler_.begin(state_.input, state_.has_reference);
    tiles_.clear();
    strategy_->begin();
    slices_.clear();
    counts_ = {};
    next_row_ = 0;
  }

  bool more() const { return next_row_ < state_.rows(); }

  std::span<const CodedSlice> next() {
    const Workers::Awake awake(state_.workers);
    begin_batch();
    strategy_->encode(batch_);
    const size_t before = slices_.size();
    constexpr uint32_t kAhead = 8;
    for (uint32_t tile = state_.tile_at(batch_.first_row, 0); tile < state_.tile_at(batch_.end_row, 0); ++tile) {
      tiles_.prefetch(tile + kAhead);
      gather(tile);
    }
    strategy_->end_batch();
    return std::span<const CodedSlice>(slices_).subspan(before);
  }

  std::span<const CodedSlice> end() {
    ENSURE(!more());
    const Workers::Awake awake(state_.workers);
    strategy_->end(counts_.inter + counts_.intra + counts_.plain);
    state_.input = {};
    return slices_;
  }

 private:
  void begin_batch() {
    const BatchSize size = strategy_->batch_size();
    const size_t enough = std::max(size.least_tiles, state_.grid.tiles() / static_cast<size_t>(size.most_batches));
    batch_.tiles.clear();
    batch_.first_row = next_row_;
    while (next_row_ < state_.rows() && batch_.tiles.size() < enough) {
      for (int column = 0; column < state_.grid.across(); ++column)
        if (const uint32_t tile = state_.tile_at(next_row_, column); scheduler_.is_to_be_coded(tile))
          batch_.tiles.push_back(tile);
      ++next_row_;
    }
    batch_.end_row = next_row_;
  }

  void gather(uint32_t tile) {
    if (tiles_.is_joined(tile)) return;
    const auto coded = tiles_.slices(tile);
    if (coded.empty()) {
      ++(scheduler_.is_deferred(tile) && !scheduler_.is_refined(tile) ? counts_.late : counts_.skipped);
      return;
    }
    const uint32_t tiles = coded[0].slice.tiles;
    if (!strategy_->may_send(tile)) {
      (scheduler_.is_refined(tile) ? counts_.skipped : counts_.late) += tiles;
      return;
    }
    slices_.insert(slices_.end(), coded.begin(), coded.end());
    if (is_lossy(coded[0].coding) && strategy_->is_transform(tile)) counts_.transform += tiles;
    switch (coded[0].coding) {
      case Coding::inter:
      case Coding::lossy_inter: counts_.inter += tiles; break;
      case Coding::intra:
      case Coding::lossy_intra: counts_.intra += tiles; break;
      case Coding::raw: ++counts_.plain; break;
      case Coding::samples: break;  // of KeyFrameEncoder only
    }
  }

  FrameState state_;
  Scheduler scheduler_;
  CodedTiles tiles_;
  const bool is_lossy_;
  std::unique_ptr<CodingStrategy> strategy_;
  Batch batch_;
  size_t next_row_ = 0;
  std::vector<CodedSlice> slices_;
  EncodedCounts counts_;
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
Bytes FrameEncoder::reconstruction() const { return impl_->reconstruction(); }
void FrameEncoder::forget() { impl_->forget(); }
EncodedCounts FrameEncoder::counts() const { return impl_->counts(); }
bool FrameEncoder::is_waiting() const { return impl_->is_waiting(); }
bool FrameEncoder::is_checking() const { return impl_->is_checking(); }
void FrameEncoder::use_backend(std::unique_ptr<EncoderBackend> backend, const SelfCheckSettings& check) {
  impl_->use_backend(std::move(backend), check);
}

}  // namespace texcast::compact
