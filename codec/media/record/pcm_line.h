// pcm_line.h — a track of PCM as one line of samples from time 0: pieces are put where their time stamps say, holes are
// silence, and it is taken off in pieces that end exactly where they should.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace texcast::media {

// Not thread-safe. Silence is zero bytes: signed and floating-point samples.
class PcmLine {
 public:
  // `frame_bytes`: of one sample of all channels.
  PcmLine(int sample_rate, size_t frame_bytes) : rate_(sample_rate), frame_bytes_(frame_bytes) {}

  // Samples that belong at `first` (may be negative: what lies before 0 is left out). Time stamps that are off by less
  // than a rounding of a few milliseconds are not believed: the piece follows the one before.
  void put(int64_t first, Bytes samples);
  int64_t end() const { return begin_ + static_cast<int64_t>(waiting() / frame_bytes_); }  // samples known so far

  // The next samples before `end`; none where there are none. Valid until the next call.
  struct Piece {
    int64_t first = 0;
    int64_t count = 0;
    Bytes bytes;
  };
  Piece take_until(int64_t end);
  int64_t bytes_until(int64_t end) const;  // of that piece

 private:
  int64_t samples_until(int64_t end) const;
  size_t waiting() const { return bytes_.size() - taken_; }

  int rate_;
  size_t frame_bytes_;
  int64_t begin_ = 0;  // of what waits
  bool begun_ = false;
  std::vector<std::byte> bytes_;  // from `taken_` on
  size_t taken_ = 0;
};

}  // namespace texcast::media
