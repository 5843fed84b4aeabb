#include "stream/recording_sound.h"

#include <algorithm>
#include <utility>

namespace texcast::stream {
namespace {
constexpr nanoseconds kJumped = std::chrono::milliseconds(40);  // another time line: not followed slowly
constexpr int kFollow = 32;
constexpr nanoseconds kStalled = std::chrono::milliseconds(200);
// Where the sender tells no times: so far off the picture, in the mean of so many blocks, sound is moved. Each move is
// a hole or a cut that is heard; lips are not seen to be off by less.
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

// Without times of its own a stream's samples count from when the first came: what comes a little sooner or later is
// the network's doing.
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
