#include "live/compact_reception.h"

#include <algorithm>

#include "transport/compact_packet.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kHoldBack = std::chrono::seconds(1);
// Between two requests: longer than a LAN's round trip and a frame; longer and longer where nothing comes of it.
constexpr nanoseconds kAskAgain = std::chrono::milliseconds(30), kAskAtLast = std::chrono::seconds(1);
constexpr uint32_t kMostInRange = 4095;

}  // namespace

CompactReception::CompactReception(int threads) : workers_(threads) {}

std::optional<uint32_t> CompactReception::decode(const transport::ReceivedFrame& frame, const FrameRef& out) {
  if (!out) return std::nullopt;  // it counts as missing when the next one comes
  const TextureDesc& texture = out->desc;
  const SteadyTime now{
      frame.times.assembled.time_since_epoch()};  // the source's clock: captures go as fast as they can
  if (!decoder_ || frame.new_stream || !(texture == texture_)) {
    decoder_.emplace(texture, workers_);
    texture_ = texture;
    latest_ = {};
    was_whole_ = false;
    seen_.assign(decoder_->grid().tiles(), 0);
    begun_ = now;
    asked_at_ = {};
    asked_in_vain_ = 0;
    counts_.wrong = 0;
  }
  const uint64_t missing = latest_ ? frame.number - latest_number_ - 1 : 0;
  const compact::DecodedCounts counts =
      decoder_->decode(frame.payloads, latest_ ? latest_->blocks.data() : nullptr, out->blocks, missing);
  counts_.passed += counts.passed;
  counts_.against += counts.against;
  counts_.alone += counts.alone;
  counts_.plain += counts.plain;
  counts_.concealed += counts.concealed;
  mended_ += counts.repaired;
  if (was_whole_) counts_.repaired += counts.repaired;
  counts_.damaged += counts.damaged;
  counts_.disagreed += counts.disagreed;
  counts_.wrong = counts.wrong;
  latest_ = out;
  latest_number_ = frame.number;
  latest_buffer_id_ = frame.buffer_id;
  note_seen();
  if (!was_whole_ && now >= begun_ && now < begun_ + kHoldBack) {
    ++counts_.held_back;
    return std::nullopt;
  }
  return (counts.wrong + counts.unsure) * (compact::kTileWidth / 4) * (compact::kTileHeight / 4);
}

// The picture is worth to be seen when each of its tiles was right once.
void CompactReception::note_seen() {
  if (was_whole_) return;
  const auto right = decoder_->right();
  for (size_t tile = 0; tile < right.size(); ++tile) seen_[tile] |= right[tile];
  was_whole_ = std::ranges::find(seen_, 0) == seen_.end();
}

std::optional<transport::TileQuery> CompactReception::query(SteadyTime now) {
  if (!decoder_ || !latest_ || counts_.wrong == 0) {
    asked_in_vain_ = 0;
    return std::nullopt;
  }
  const nanoseconds pause = std::min<nanoseconds>(kAskAgain * (1 << std::min(asked_in_vain_, 6)), kAskAtLast);
  if (asked_at_ != SteadyTime{} && now < asked_at_ + pause) return std::nullopt;
  asked_in_vain_ = mended_ == mended_when_asked_ && asked_at_ != SteadyTime{} ? asked_in_vain_ + 1 : 0;
  mended_when_asked_ = mended_;
  asked_at_ = now;
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
      break;  // the rest when these are right
    }
  }
  transport::TileQuery query{.state = latest_buffer_id_, .all = all, .ranges = ranges_};
  if (!was_whole_ && all) query.state.reset();
  return query;
}

}  // namespace texcast::stream
