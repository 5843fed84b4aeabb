#include "textures/compact_reception.h"

#include <algorithm>
#include <utility>

#include "compact/coded_slice.h"
#include "compact/sample_planes.h"
#include "textures/stream_format.h"
#include "transport/compact_packet.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kHoldBack = std::chrono::seconds(1);
// A few packets of a larger texture are no picture: they are neither shown nor recorded.
constexpr size_t kSmallTexture = size_t{1} << 20;
constexpr size_t kLeastShare = 4;
// The time between two requests: after another frame, from whose number a sender knows what it has repaired since; and
// after the same one, because the request may be lost. If they have no effect for long, a fraction of that time.
constexpr nanoseconds kAskAnew = std::chrono::milliseconds(8), kAskAgain = std::chrono::milliseconds(30);
constexpr nanoseconds kAskAtLast = std::chrono::seconds(1);
constexpr int kPauseDivisor = 4;
constexpr uint32_t kMostInRange = 4095;

// The source's clock: captures are read at full speed.
SteadyTime clock_of(const transport::ReceivedFrame& frame) {
  return SteadyTime{frame.times.assembled.time_since_epoch()};
}

}  // namespace

CompactReception::CompactReception(int threads, std::unique_ptr<BackendBuilder> builder)
    : workers_(threads), builder_(std::move(builder)) {}

std::optional<uint32_t> CompactReception::decode(const transport::ReceivedFrame& frame, const FrameRef& out) {
  if (!begin(frame, out)) return std::nullopt;
  decoder_->decode_slices();
  return finish(frame, out);
}

bool CompactReception::begin(const transport::ReceivedFrame& frame, const FrameRef& out) {
  if (!out) return false;  // it counts as missing when the next one arrives
  const TextureDesc& texture = out->desc;
  if (!decoder_ || frame.new_stream || !(texture == texture_)) {
    decoder_.emplace(texture, workers_);
    texture_ = texture;
    latest_ = {};
    was_whole_ = false;
    seen_.assign(decoder_->grid().tiles(), 0);
    seen_count_ = 0;
    begun_ = clock_of(frame);
    asked_at_.reset();
    no_success_since_.reset();
    sums_.reset();
    counts_.wrong = 0;
    is_backend_requested_ = false;
    if (gives_samples_first_) wants_samples_->store(true);
  }
  take_backend(is_lossy_coding(frame.stream.coding));
  const uint64_t missing = latest_ ? frame.number - latest_number_ - 1 : 0;
  decoder_->begin(frame.payloads, latest_ ? latest_->blocks.data() : nullptr, out->blocks, missing,
                  out->held(decoder_->changes().sequence));
  is_under_way_ = true;
  return true;
}

std::optional<uint32_t> CompactReception::finish(const transport::ReceivedFrame& frame, const FrameRef& out) {
  is_under_way_ = false;
  const compact::DecodedCounts counts = decoder_->finish();
  counts_.skipped += counts.passed;
  counts_.inter += counts.inter;
  counts_.intra += counts.intra;
  counts_.plain += counts.plain;
  counts_.transform += counts.transform;
  counts_.concealed += counts.concealed;
  work_ += counts.work;
  is_news_ = true;
  if (counts.repaired > 0 || counts.wrong == 0) no_success_since_.reset();
  if (was_whole_) counts_.repaired += counts.repaired;
  counts_.damaged += counts.damaged;
  counts_.disagreed += counts.disagreed;
  counts_.wrong = counts.wrong;
  out->tell_changes(decoder_->changes());
  out->is_lossy = is_lossy_coding(frame.stream.coding);
  out->has_transform = frame.stream.coding == kTransformCoding && decoder_->grid().can_transform();
  if (out->has_transform) out->wants_samples = wants_samples_;
  if (out->is_lossy && counts.wrong + counts.unsure + counts.damaged + counts.disagreed == 0) {
    keep_payloads(frame, *out);
    if (out->has_transform) give_samples(*out);
  }
  latest_ = out;
  latest_number_ = frame.number;
  latest_buffer_id_ = frame.buffer_id;
  note_seen();
  compare_rows();
  if (!is_worth_showing(clock_of(frame))) {
    ++counts_.held_back;
    return std::nullopt;
  }
  return (counts.wrong + counts.unsure) * (compact::kTileWidth / 4) * (compact::kTileHeight / 4);
}

// For recordings: a recorded payload needs fewer bits than coding the frame's blocks again.
void CompactReception::keep_payloads(const transport::ReceivedFrame& frame, PooledFrame& out) const {
  if (!latest_ || latest_->id == 0) return;
  out.needs_id = latest_->id;
  for (const Bytes payload : frame.payloads) {
    if (payload.empty()) continue;
    const size_t at = out.payloads.size();
    out.payloads.resize(at + sizeof(uint32_t));
    store_le32(out.payloads, at, static_cast<uint32_t>(payload.size()));
    out.payloads.insert(out.payloads.end(), payload.begin(), payload.end());
  }
}

void CompactReception::give_samples(PooledFrame& out) {
  if (!wants_samples_->exchange(false)) return;
  out.samples.resize(compact::SampleLayout(decoder_->grid()).samples());
  if (!decoder_->read_samples(out.blocks.data(), out.samples)) out.samples = {};
}

// Threads decode until it is built.
void CompactReception::take_backend(bool is_lossy) {
  if (!builder_) return;
  // Otherwise it was built for another stream, and this stream's is requested now.
  if (auto built = builder_->take(); built && built_for_ == texture_ && is_backend_requested_)
    decoder_->use_backend(std::move(built), compact::kDecoderSelfCheckSlices, compact::kLeastTilesForBackend);
  if (!is_lossy || is_backend_requested_ || !builder_->begin(texture_)) return;
  is_backend_requested_ = true;
  built_for_ = texture_;
}

// The picture is complete once each of its tiles has been right.
void CompactReception::note_seen() {
  if (was_whole_) return;
  const auto right = decoder_->right();
  for (size_t tile = 0; tile < right.size(); ++tile) {
    seen_count_ += right[tile] > seen_[tile];
    seen_[tile] |= right[tile];
  }
  was_whole_ = seen_count_ == seen_.size();
}

bool CompactReception::is_worth_showing(SteadyTime now) const {
  if (was_whole_) return true;
  if (now >= begun_ && now < begun_ + kHoldBack) return false;
  return decoder_->grid().texture_bytes() <= kSmallTexture || kLeastShare * seen_count_ >= seen_.size();
}

// Their frame may still wait for its last packets.
void CompactReception::compare(const transport::TileSums& sums) {
  sum_bytes_.assign(sums.sum_bytes.begin(), sums.sum_bytes.end());
  sums_ = sums;
  sums_->sum_bytes = sum_bytes_;
  compare_rows();
}

void CompactReception::compare_rows() {
  if (is_under_way_ || !sums_ || !latest_ || sums_->buffer_id != latest_buffer_id_) return;
  const compact::TileGrid& grid = decoder_->grid();
  for (size_t i = 0; i < sums_->rows; ++i) {
    const auto row = static_cast<int>(sums_->first_row + i);
    if (row >= grid.down()) break;
    if (!decoder_->is_right(row) || decoder_->sum(row) == sums_->sum(i)) continue;
    decoder_->lose_row(row);
    counts_.wrong += static_cast<uint64_t>(grid.across());
    ++counts_.refuted;
  }
  sums_.reset();
}

// The pause between the previous request and one at that time.
nanoseconds CompactReception::pause_at(SteadyTime now) const {
  return std::clamp<nanoseconds>((now - *no_success_since_) / kPauseDivisor, is_news_ ? kAskAnew : kAskAgain,
                                 kAskAtLast);
}

std::optional<SteadyTime> CompactReception::next_query() const {
  if (!decoder_ || is_under_way_ || !latest_ || counts_.wrong == 0) return std::nullopt;
  if (!asked_at_ || !no_success_since_) return SteadyTime{};
  // The pause grows with time: it ends when it is that fraction of the time since the last success.
  const nanoseconds in_vain = *asked_at_ - *no_success_since_;
  return *asked_at_ + std::clamp<nanoseconds>(in_vain / (kPauseDivisor - 1) + nanoseconds(1),
                                              is_news_ ? kAskAnew : kAskAgain, kAskAtLast);
}

std::optional<transport::TileQuery> CompactReception::query(SteadyTime now) {
  if (!decoder_ || is_under_way_ || !latest_ || counts_.wrong == 0) return std::nullopt;
  if (!no_success_since_) no_success_since_ = now;
  if (asked_at_ && now < *asked_at_ + pause_at(now)) return std::nullopt;
  asked_at_ = now;
  is_news_ = false;
  ++counts_.asked;
  ranges_.clear();
  const auto right = decoder_->right(), unsure = decoder_->unsure();
  const bool all = counts_.wrong == right.size();
  for (uint32_t tile = 0; tile < right.size() && !all; ++tile) {
    if (right[tile] != 0 || unsure[tile] != 0) continue;
    if (!ranges_.empty() && ranges_.back().first + ranges_.back().count == tile &&
        ranges_.back().count < kMostInRange) {
      ++ranges_.back().count;
    } else if (ranges_.size() < transport::TileRequest::kMaxRanges) {
      ranges_.push_back({tile, 1});
    } else {
      break;  // the rest once these are right
    }
  }
  return transport::TileQuery{.state = latest_buffer_id_, .all = all, .ranges = ranges_};
}

}  // namespace texcast::stream
