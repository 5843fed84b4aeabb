#include "sound_pieces.h"

#include <algorithm>

namespace texcast::stream {

void SoundPieces::put(std::span<const float> samples, nanoseconds pts) {
  mark_end(pts);
  samples_.insert(samples_.end(), samples.begin(), samples.end());
}

// The samples that are added next begin at `pts`.
void SoundPieces::mark_end(nanoseconds pts) {
  if (marks_.empty()) return marks_.push_back({.sample = end(), .pts = pts});
  const nanoseconds off = pts - time_at(marks_.back(), end());
  if (std::chrono::abs(off) <= kSame) return;
  if (std::chrono::abs(off) < kCut) return marks_.push_back({.sample = end(), .pts = pts});
  finish_piece();
  const nanoseconds gap = pts - time_at(marks_.back(), end());
  const auto skipped = static_cast<uint64_t>(std::max(in_seconds(gap), 0.0) * format_.rate);
  marks_.push_back({.sample = end(), .pts = pts, .skipped = skipped});
}

void SoundPieces::finish_piece() {
  const size_t all = piece_ * channels(), rest = (samples_.size() - taken_) % all;
  if (rest > 0) samples_.resize(samples_.size() + all - rest);
}

std::optional<SoundPieces::Piece> SoundPieces::take() {
  if (!has_piece()) return std::nullopt;
  if (taken_ > samples_.size() / 2) {
    samples_.erase(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  while (marks_.size() > 1 && marks_[1].sample <= first_) {
    marks_.pop_front();
    skipped_ += marks_.front().skipped;
  }
  const Piece piece{.position = first_ + skipped_,
                    .pts = time_at(marks_.front(), first_),
                    .samples = std::span(samples_).subspan(taken_, piece_ * channels())};
  taken_ += piece.samples.size();
  first_ += piece_;
  return piece;
}

}  // namespace texcast::stream
