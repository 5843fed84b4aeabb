#include "sound_timeline.h"

#include <algorithm>
#include <cmath>

namespace texcast::stream {
namespace {
// A frame this far from its expected time is late, or the clock was set; smaller differences are followed slowly.
constexpr nanoseconds kLate = std::chrono::milliseconds(20);
constexpr int kFollowPart = 16;
constexpr nanoseconds kSamePlace = std::chrono::milliseconds(2);  // rounding of time stamps
constexpr size_t kMostSegments = 1000;
}  // namespace

// The first sample at or after the time.
int64_t SoundTimeline::sample_at(nanoseconds time) const {
  return (time.count() * rate_ + 999'999'999) / 1'000'000'000;
}

void SoundTimeline::on_frame(nanoseconds pts, nanoseconds place, WallTime available) {
  const WallTime base = available - pts;
  if (!base_) {
    base_ = base;
    next_ = sample_at(pts);
  } else if (const nanoseconds off = base - *base_; std::chrono::abs(off) > kLate) {
    base_ = base;
    late_ += off.count() * rate_ / 1'000'000'000;
  } else {
    *base_ += off / kFollowPart;
  }
  const bool follows = !segments_.empty() && std::chrono::abs(place - pts - offset_) <= kSamePlace;
  if (follows || segments_.size() >= kMostSegments) return;
  offset_ = place - pts;
  segments_.push_back({.first = std::max(sample_at(pts), next_), .pts = pts, .place = place});
}

std::optional<WallTime> SoundTimeline::due() const {
  if (!base_) return std::nullopt;
  return *base_ + time_of(next_) + kBehind;
}

SoundTimeline::Piece SoundTimeline::take() {
  Piece piece{.position = static_cast<uint64_t>(std::max<int64_t>(0, next_ + late_)),
              .captured = base_.value_or(WallTime{}) + time_of(next_)};
  parts_.clear();
  for (int64_t at = next_, end = next_ + piece_; at < end;) {
    while (segments_.size() > 1 && segments_[1].first <= at) {
      segments_.pop_front();
      sought_ = false;
    }
    const int64_t until = segments_.size() > 1 ? std::min(end, segments_[1].first) : end;
    Part part{.samples = static_cast<uint32_t>(until - at)};
    if (!segments_.empty() && !sought_) {
      const Segment& from = segments_.front();
      part.seek = from.place + (time_of(at) - from.pts);
      sought_ = true;
    }
    parts_.push_back(part);
    at = until;
  }
  next_ += piece_;
  piece.parts = parts_;
  return piece;
}

}  // namespace texcast::stream
