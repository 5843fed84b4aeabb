// pcm.h — sound as PCM on its way into a recording: decoded, and laid out in time without a hole.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "media/ffmpeg.h"

namespace texcast::media {

// Packets of any audio codec to interleaved PCM: 16 bits, or 24 where the source has more.
//
// Not thread-safe.
class PcmDecoder {
 public:
  // Null where this FFmpeg cannot decode the stream.
  static std::unique_ptr<PcmDecoder> open(const AVStream& stream);

  const AVCodecParameters& parameters() const { return *parameters_; }  // of the PCM: pcm_s16le or pcm_s24le
  size_t frame_bytes() const { return static_cast<size_t>(parameters_->block_align); }

  // Calls `put` with the time stamp (in the stream's ticks) and the samples of each frame that comes out. Null: the
  // end. What cannot be decoded is left out.
  using Put = std::function<void(int64_t pts, Bytes samples)>;
  void decode(const AVPacket* packet, const Put& put);

 private:
  PcmDecoder(CodecPtr decoder, ParametersPtr parameters);
  Bytes convert(const AVFrame& frame);

  CodecPtr decoder_;
  ParametersPtr parameters_;
  SwrPtr resampler_;
  FramePtr frame_ = make_frame();
  std::vector<std::byte> wide_;    // 32 bits a sample
  std::vector<std::byte> packed_;  // as it goes out
};

// A track of PCM as one line of samples from time 0: pieces are put where their time stamps say, holes are silence, and
// the line is taken off in pieces that end exactly where they should.
//
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
