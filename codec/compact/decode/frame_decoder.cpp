#include "compact/frame_decoder.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "backend_reconstruction.h"
#include "base/ensure.h"
#include "compact/payload.h"
#include "compact/tile_sums.h"
#include "frame_samples.h"
#include "received_frame.h"
#include "texture_rows.h"
#include "tile_states.h"

namespace texcast::compact {

class FrameDecoder::Impl {
 public:
  Impl(const TextureDesc& texture, Workers& workers) : grid_(texture), workers_(workers) {
    row_changed_in_.assign(static_cast<size_t>(grid_.down()), 1);  // the first texture has changed everywhere
    rows_to_copy_.resize(row_changed_in_.size());
  }

  const TileGrid& grid() const { return grid_; }
  TileStates& tiles() { return tiles_; }
  const TileStates& tiles() const { return tiles_; }
  BackendReconstruction& backend() { return backend_; }
  RowChanges changes() const { return {sequence_, number_, row_changed_in_}; }
  RowChanges sample_changes() const { return samples_.changes(); }
  bool read_samples(const std::byte* texture, std::span<uint8_t> to) {
    ENSURE(!under_way_ && grid_.can_transform());
    if (!backend_.bring(samples_)) return false;
    const std::span<const uint8_t> all = samples_.make_all(texture);
    ENSURE(to.size() == all.size());
    std::ranges::copy(all, to.begin());
    return true;
  }
  uint32_t sum(int row) const { return sums_.row(row); }

  void begin(std::span<const Bytes> payloads, const std::byte* reference, MutableBytes texture, uint64_t frames_missing,
             uint64_t held) {
    ENSURE(!under_way_ && texture.size() == grid_.texture_bytes() && held <= number_);
    under_way_ = {.reference = reference, .texture = texture, .is_whole_written = reference == nullptr || held == 0};
    ++number_;
    const bool has_reference = reference != nullptr;
    if (!has_reference) {
      std::ranges::fill(texture, std::byte{0});
      std::ranges::fill(row_changed_in_, number_);
      backend_.forget_reference();
      samples_.forget();
      tiles_.lose();
    }
    frame_.begin();
    for (const Bytes payload : payloads)
      if (!payload.empty()) frame_.parse(payload);
    tiles_.begin(frames_missing, frame_.history());

    const std::span<ReceivedSlice> slices = frame_.slices();
    under_way_->has_backend = backend_.begin(slices, reference, tiles_.reference_right(), samples_);
    if (has_reference) copy_rows(reference, texture.data(), held, false);
    const bool has_finished = under_way_->has_backend && backend_.finish(slices, texture);
    if (!has_finished && has_reference) copy_rows(reference, texture.data(), held, true);
    if (!has_finished && !backend_.is_on()) lose_samples();
    samples_.begin(slices, reference);
  }

  std::span<ReceivedSlice> slices() {
    ENSURE(under_way_);
    return frame_.slices();
  }
  SliceSurroundings surroundings() {
    ENSURE(under_way_);
    return {.grid = grid_,
            .reference = under_way_->reference,
            .reference_right = tiles_.reference_right(),
            .samples = samples_.surroundings()};
  }

  void decode_slices() {
    const std::span<ReceivedSlice> all = slices();
    const SliceSurroundings with = surroundings();
    constexpr size_t kBatch = 4;
    workers_.parallel_for((all.size() + kBatch - 1) / kBatch, [&](size_t batch) {
      for (size_t i = batch * kBatch; i < std::min((batch + 1) * kBatch, all.size()); ++i)
        if (!all[i].is_from_backend) compact::decode(all[i], with, under_way_->texture.data());
    });
  }

  DecodedCounts finish() {
    ENSURE(under_way_);
    const UnderWay frame = *std::exchange(under_way_, std::nullopt);
    const bool has_reference = frame.reference != nullptr;
    const std::span<ReceivedSlice> slices = frame_.slices();
    samples_.finish(slices);
    if (frame.has_backend) backend_.self_check(slices, frame.texture.data());
    backend_.note_changes(slices, has_reference);

    DecodedCounts counts = frame_.judge(has_reference, tiles_);
    counts.work = work(frame.is_whole_written);
    sums_.begin();
    for (const ReceivedSlice& slice : slices) {
      if (slice.decoded) sums_.add(slice.parsed.slice, slice.check);
      if (slice.changed) row_changed_in_[slice.parsed.slice.tile / grid_.across()] = number_;
    }
    return counts;
  }

 private:
  // The frame between begin() and finish().
  struct UnderWay {
    const std::byte* reference = nullptr;
    MutableBytes texture{};
    bool is_whole_written = false;
    bool has_backend = false;  // which has begun to reconstruct it
  };

  // Copies the rows of tiles that changed since texture `held`: those that the backend writes unless it fails, or the
  // others.
  void copy_rows(const std::byte* reference, std::byte* texture, uint64_t held, bool of_backend) {
    for (size_t row = 0; row < rows_to_copy_.size(); ++row)
      rows_to_copy_[row] = (backend_.rows()[row] != 0) == of_backend ? row_changed_in_[row] : 0;
    rows_.for_changed({sequence_, number_, rows_to_copy_}, held,
                      [&](size_t at, size_t bytes) { std::memcpy(texture + at, reference + at, bytes); });
  }

  // After a failure of the backend: tiles whose samples only it had cannot be predicted from.
  void lose_samples() {
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      if (!samples_.is_away(tile)) continue;
      samples_.lose(tile);
      tiles_.lose_in_reference(tile);
    }
  }

  // DecodedCounts::work.
  size_t work(bool is_whole_written) {
    size_t bytes = is_whole_written ? grid_.texture_bytes() : 0;
    for (const ReceivedSlice& received : frame_.slices())
      bytes += grid_.usual_tile_bytes() * received.parsed.slice.tiles / received.parsed.slice.sub_slices;
    return bytes;
  }

  const TileGrid grid_;
  const TextureRows rows_{grid_.texture()};
  Workers& workers_;
  ReceivedFrame frame_{grid_};
  TileStates tiles_{grid_};
  BackendReconstruction backend_{grid_, rows_, workers_};
  FrameSamples samples_{grid_, workers_};
  TileSums sums_{grid_};
  const uint64_t sequence_ = new_sequence();
  std::optional<UnderWay> under_way_;
  uint64_t number_ = 0;                   // of the texture decoded last
  std::vector<uint64_t> row_changed_in_;  // RowChanges::changed_in
  std::vector<uint64_t> rows_to_copy_;    // in the same form
};

FrameDecoder::FrameDecoder(const TextureDesc& texture, Workers& workers)
    : impl_(std::make_unique<Impl>(texture, workers)) {}
FrameDecoder::~FrameDecoder() = default;
const TileGrid& FrameDecoder::grid() const { return impl_->grid(); }
DecodedCounts FrameDecoder::decode(std::span<const Bytes> payloads, const std::byte* reference, MutableBytes texture,
                                   uint64_t frames_missing, uint64_t held) {
  impl_->begin(payloads, reference, texture, frames_missing, held);
  impl_->decode_slices();
  return impl_->finish();
}
void FrameDecoder::begin(std::span<const Bytes> payloads, const std::byte* reference, MutableBytes texture,
                         uint64_t frames_missing, uint64_t held) {
  impl_->begin(payloads, reference, texture, frames_missing, held);
}
std::span<ReceivedSlice> FrameDecoder::slices() { return impl_->slices(); }
SliceSurroundings FrameDecoder::surroundings() const { return impl_->surroundings(); }
void FrameDecoder::decode_slices() { impl_->decode_slices(); }
DecodedCounts FrameDecoder::finish() { return impl_->finish(); }
void FrameDecoder::use_backend(std::unique_ptr<ReconstructionBackend> backend, uint32_t self_check_slices,
                               uint32_t least_tiles) {
  impl_->backend().use(std::move(backend), self_check_slices, least_tiles);
}
std::span<const uint8_t> FrameDecoder::right() const { return impl_->tiles().right(); }
std::span<const uint8_t> FrameDecoder::unsure() const { return impl_->tiles().unsure(); }
RowChanges FrameDecoder::changes() const { return impl_->changes(); }
RowChanges FrameDecoder::sample_changes() const { return impl_->sample_changes(); }
bool FrameDecoder::read_samples(const std::byte* texture, std::span<uint8_t> samples) {
  return impl_->read_samples(texture, samples);
}
void FrameDecoder::lose() { impl_->tiles().lose(); }
void FrameDecoder::lose_row(int row) { impl_->tiles().lose_row(row); }
bool FrameDecoder::is_right(int row) const { return impl_->tiles().is_row_right(row); }
uint32_t FrameDecoder::sum(int row) const { return impl_->sum(row); }

}  // namespace texcast::compact
