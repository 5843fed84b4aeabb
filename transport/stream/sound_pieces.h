// sound_pieces.h — sound that a program sends in blocks of any length, until it leaves in pieces of one length.
//
// Blocks whose time continues that of the previous block within kSame are one sequence of samples. A larger difference
// moves the time of the samples that follow. If it reaches kCut, the piece in progress is filled with silence, and the
// samples that follow begin a new one.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/audio_format.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

// No threads, no clock.
class SoundPieces {
 public:
  static constexpr nanoseconds kSame = std::chrono::milliseconds(2), kCut = std::chrono::milliseconds(20);

  // `piece`: samples per channel of a piece.
  SoundPieces(AudioFormat format, uint32_t piece) : format_(format), piece_(piece) {}

  // `samples`: interleaved. `pts`: the time of the first.
  void put(std::span<const float> samples, nanoseconds pts);
  // Fills the piece in progress with silence.
  void finish_piece();
  struct Piece {
    uint64_t position = 0;  // of the first sample; skips gaps in the time
    nanoseconds pts{};
    std::span<const float> samples{};  // interleaved; valid until the next call
  };
  // The next piece, if it is whole.
  std::optional<Piece> take();
  bool empty() const { return samples_.size() - taken_ == 0; }
  bool has_piece() const { return samples_.size() - taken_ >= piece_ * channels(); }
  nanoseconds duration() const { return duration_of((samples_.size() - taken_) / channels()); }

 private:
  // The samples from `sample` on begin at `pts`, after a gap of `skipped` samples.
  struct Mark {
    uint64_t sample = 0;
    nanoseconds pts{};
    uint64_t skipped = 0;
  };
  size_t channels() const { return static_cast<size_t>(format_.channels); }
  uint64_t end() const { return first_ + (samples_.size() - taken_) / channels(); }
  nanoseconds duration_of(uint64_t samples) const {
    return nanoseconds(static_cast<int64_t>(samples) * 1'000'000'000 / format_.rate);
  }
  nanoseconds time_at(const Mark& mark, uint64_t sample) const { return mark.pts + duration_of(sample - mark.sample); }
  void mark_end(nanoseconds pts);

  const AudioFormat format_;
  const size_t piece_;
  std::vector<float> samples_;
  size_t taken_ = 0;        // floats at the beginning of samples_ that were taken
  uint64_t first_ = 0;      // number of the next sample to take
  uint64_t skipped_ = 0;    // samples of the gaps before it
  std::deque<Mark> marks_;  // the first is that of the next sample to take
};

}  // namespace texcast::stream
