#include "compact/frame_decoder.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backend_reconstruction.h"
#include "base/ensure.h"
#include "compact/payload.h"
#include "compact/sub_block.h"
#include "compact/tile_sums.h"
#include "received_frame.h"
#include "slice_decoder.h"
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
  uint32_t sum(int row) const { return sums_.row(row); }

  DecodedCounts decode(std::span<const Bytes> payloads, const std::byte* reference, MutableBytes texture,
                       uint64_t frames_missing, uint64_t held) {
    ENSURE(texture.size() == grid_.texture_bytes() && held <= number_);
    ++number_;
    const bool has_reference = reference != nullptr;
    if (!has_reference) {
      std::ranges::fill(texture, std::byte{0});
      std::ranges::fill(row_changed_in_, number_);
      backend_.forget_reference();
      tiles_.lose();
    }
    frame_.begin();
    for (const Bytes payload : payloads)
      if (!payload.empty()) frame_.parse(payload);
    tiles_.begin(frames_missing, frame_.history());

    const std::span<ReceivedSlice> slices = frame_.slices();
    const bool has_begun = backend_.begin(slices, reference, tiles_.reference_right());
    if (has_reference) copy_rows(reference, texture.data(), held, false);
    const bool has_finished = has_begun && backend_.finish(slices, texture);
    if (!has_finished && has_reference) copy_rows(reference, texture.data(), held, true);
    decode_by_cpu(slices, reference, texture.data());
    if (has_begun) backend_.self_check(slices, texture.data());
    backend_.note_changes(slices, has_reference);

    DecodedCounts counts = frame_.judge(has_reference, tiles_);
    counts.work = work(!has_reference || held == 0);
    sums_.begin();
    for (const ReceivedSlice& slice : slices) {
      if (slice.decoded) sums_.tell(slice.parsed.slice, slice.check);
      if (slice.changed) row_changed_in_[slice.parsed.slice.tile / grid_.across()] = number_;
    }
    return counts;
  }

 private:
  // Copies the rows of tiles that changed since texture `held`: those that the backend writes unless it fails, or the
  // others.
  void copy_rows(const std::byte* reference, std::byte* texture, uint64_t held, bool of_backend) {
    for (size_t row = 0; row < rows_to_copy_.size(); ++row)
      rows_to_copy_[row] = (backend_.rows()[row] != 0) == of_backend ? row_changed_in_[row] : 0;
    rows_.for_changed({sequence_, number_, rows_to_copy_}, held,
                      [&](size_t at, size_t bytes) { std::memcpy(texture + at, reference + at, bytes); });
  }

  void decode_by_cpu(std::span<ReceivedSlice> slices, const std::byte* reference, std::byte* texture) {
    constexpr size_t kBatch = 4;
    workers_.parallel_for((slices.size() + kBatch - 1) / kBatch, [&](size_t batch) {
      for (size_t i = batch * kBatch; i < std::min((batch + 1) * kBatch, slices.size()); ++i)
        if (!slices[i].is_from_backend) decode(slices[i], reference, texture);
    });
  }

  void decode(ReceivedSlice& received, const std::byte* reference, std::byte* texture) const {
    const auto& [slice, coding, bytes] = received.parsed;
    if (coding == Coding::raw) {
      received.decoded = copy_raw(received.parsed, texture);
    } else if (is_intra(coding)) {
      received.decoded = decode_slice(grid_, slice, bytes, is_lossy(coding), nullptr, texture, nullptr);
    } else if (needs_reference(coding)) {
      ReferenceReads reads(grid_, tiles_.reference_right());
      received.decoded =
          reference != nullptr && decode_slice(grid_, slice, bytes, is_lossy(coding), reference, texture, &reads);
      received.refers_right = reference != nullptr && reads.all_right();
    }
    if (!received.decoded) {  // restores what the decoder may have overwritten
      grid_.for_each_sub_block(slice, [&](size_t at) {
        store_sub_block(texture + at, reference != nullptr ? load_sub_block(reference + at) : 0);
      });
      return;
    }
    received.check = slice_check(grid_, slice, texture);
    // Repaired and refreshed tiles often have the bytes that are there already.
    if (reference != nullptr)
      grid_.for_each_sub_block(slice, [&](size_t at) {
        received.changed = received.changed || load_sub_block(texture + at) != load_sub_block(reference + at);
      });
  }

  bool copy_raw(const ParsedSlice& slice, std::byte* texture) const {
    if (slice.bytes.size() != grid_.raw_bytes(slice.slice)) return false;
    size_t used = 0;
    grid_.for_each_sub_block(slice.slice, [&](size_t at) {
      store_sub_block(texture + at, load_sub_block(slice.bytes.data() + used));
      used += 8;
    });
    return true;
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
  TileSums sums_{grid_};
  const uint64_t sequence_ = new_sequence();
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
  return impl_->decode(payloads, reference, texture, frames_missing, held);
}
void FrameDecoder::use_backend(std::unique_ptr<ReconstructionBackend> backend, uint32_t self_check_slices,
                               uint32_t least_tiles) {
  impl_->backend().use(std::move(backend), self_check_slices, least_tiles);
}
std::span<const uint8_t> FrameDecoder::right() const { return impl_->tiles().right(); }
std::span<const uint8_t> FrameDecoder::unsure() const { return impl_->tiles().unsure(); }
RowChanges FrameDecoder::changes() const { return impl_->changes(); }
void FrameDecoder::lose() { impl_->tiles().lose(); }
void FrameDecoder::lose_row(int row) { impl_->tiles().lose_row(row); }
bool FrameDecoder::is_right(int row) const { return impl_->tiles().is_row_right(row); }
uint32_t FrameDecoder::sum(int row) const { return impl_->sum(row); }

}  // namespace texcast::compact
