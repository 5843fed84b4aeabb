#include "stream/recording_sound.h"

#include <algorithm>
#include <utility>

namespace texcast::stream {
namespace {
constexpr nanoseconds kJumped = std::chrono::milliseconds(40);  // the time line has changed: no slow adjustment
constexpr int kFollow = 32;
constexpr nanoseconds kStalled = std::chrono::milliseconds(200);
// If the sender gives no times, sound is moved when it is off the picture by kSeen on average over kMean blocks. Each
// move is an audible gap or cut; lip sync errors below kSeen are not visible.
constexpr nanoseconds kSeen = std::chrono::milliseconds(40);
constexpr int kMean = 512;
}  // namespace

void SoundPlace::on_frame(nanoseconds pts, WallTime available, SteadyTime arrived, bool new_stream) {
  if (new_stream) *this = {};
  if (available != WallTime{}) {
    const nanoseconds zero = available.time_since_epoch() - pts;
    if (!captured_ || std::chrono::abs(zero - *captured_) > kJumped)
      captured_ = zero;
    else
      *captured_ += (zero - *captured_) / kFollow;
  }
  const nanoseconds zero = arrived.time_since_epoch() - pts;
  if (!arrived_ || zero < *arrived_ || zero > *arrived_ + std::chrono::seconds(1)) arrived_ = zero;
}

// If a stream has no times of its own, its samples are counted from the arrival of the first: later differences are the
// network's jitter.
std::optional<nanoseconds> SoundPlace::of(const SoundBlock& block) {
  if (block.captured != WallTime{} && captured_) return block.captured.time_since_epoch() - *captured_;
  if (!arrived_ || block.format.rate <= 0) return std::nullopt;
  const auto frames = static_cast<int64_t>(block.samples.size()) / std::max(1, block.format.channels);
  const nanoseconds length(frames * 1'000'000'000 / block.format.rate);
  const nanoseconds came = block.arrived.time_since_epoch() - *arrived_ - length;
  if (!next_ || block.new_stream || std::chrono::abs(came - *next_) > kStalled) {
    next_ = came;
    off_ = {};
  } else {
    off_ += (came - *next_ - off_) / kMean;
  }
  if (std::chrono::abs(off_) > kSeen) *next_ += std::exchange(off_, {});
  const nanoseconds place = *next_;
  *next_ += length;
  return place;
}

void WaitingSound::put(const SoundBlock& block) {
  pieces_.push_back({block, {block.samples.begin(), block.samples.end()}});
  const auto one = static_cast<size_t>(block.format.rate) * static_cast<size_t>(block.format.channels);
  size_t all = 0;
  for (const Piece& piece : pieces_) all += piece.samples.size();
  while (all > kMostSeconds * one && pieces_.size() > 1) {
    all -= pieces_.front().samples.size();
    pieces_.pop_front();
  }
}

}  // namespace texcast::stream
