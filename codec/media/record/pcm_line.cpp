#include "pcm_line.h"

#include <algorithm>
#include <utility>

namespace texcast::media {

void PcmLine::put(int64_t first, Bytes samples) {
  constexpr int64_t kLongestHole = 60;  // seconds: a time stamp beyond is nonsense
  const int64_t tolerance = rate_ / 100;
  if (taken_ > 0) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  const int64_t ahead = first - end();
  // The very first piece goes where it says to the sample.
  if (ahead > (begun_ ? tolerance : 0)) {
    bytes_.resize(bytes_.size() + static_cast<size_t>(std::min(ahead, kLongestHole * rate_)) * frame_bytes_);
  } else if (ahead < (begun_ ? -tolerance : 0)) {
    const size_t early = static_cast<size_t>(-ahead) * frame_bytes_;
    samples = samples.subspan(std::min(early, samples.size()));
    if (samples.empty()) return;
  }
  begun_ = true;
  bytes_.insert(bytes_.end(), samples.begin(), samples.end());
}

int64_t PcmLine::samples_until(int64_t end) const {
  return std::clamp<int64_t>(end - begin_, 0, static_cast<int64_t>(waiting() / frame_bytes_));
}

int64_t PcmLine::bytes_until(int64_t end) const { return samples_until(end) * static_cast<int64_t>(frame_bytes_); }

PcmLine::Piece PcmLine::take_until(int64_t end) {
  const int64_t count = samples_until(end);
  const size_t size = static_cast<size_t>(count) * frame_bytes_;
  const Piece piece{begin_, count, Bytes(bytes_).subspan(taken_, size)};
  taken_ += size;
  begin_ += count;
  return piece;
}

}  // namespace texcast::media
