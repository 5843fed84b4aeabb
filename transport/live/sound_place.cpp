#include "live/sound_place.h"

#include <algorithm>
#include <utility>

namespace texcast::stream {
namespace {
constexpr nanoseconds kStalled = std::chrono::milliseconds(200);
// If the sender gives no times, sound is moved when it is off the picture by kSeen on average over kMean blocks. Each
// move is an audible gap or cut; lip sync errors below kSeen are not visible.
constexpr nanoseconds kSeen = std::chrono::milliseconds(40);
constexpr int kMean = 512;
}  // namespace

void SoundPlace::on_frame(nanoseconds pts, WallTime available, SteadyTime arrived, bool new_stream) {
  if (new_stream) *this = {};
  pictures_.on_frame(pts, available);
  const nanoseconds zero = arrived.time_since_epoch() - pts;
  if (!arrived_ || zero < *arrived_ || zero > *arrived_ + std::chrono::seconds(1)) arrived_ = zero;
}

// If a stream has no times of its own, its samples are counted from the arrival of the first: later differences are the
// network's jitter.
std::optional<nanoseconds> SoundPlace::of(const SoundBlock& block) {
  if (const auto zero = pictures_.zero(); zero && block.captured != WallTime{})
    return block.captured.time_since_epoch() - *zero;
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

}  // namespace texcast::stream
