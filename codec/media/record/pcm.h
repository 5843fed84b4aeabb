// pcm.h — sound as PCM on its way into a recording: decoded, and laid out in time without a hole.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "media/ffmpeg.h"

namespace texcast::media {

// Packets of any audio codec to interleaved PCM of 16 bits a sample, or 24 where the source has more.
//
// Not thread-safe.
class PcmDecoder {
 public:
  // Null where this FFmpeg cannot decode the stream.
  static std::unique_ptr<PcmDecoder> open(const AVStream& stream);

  const AVCodecParameters& parameters() const { return *parameters_; }  // of the PCM: pcm_s16le or pcm_s24le
  size_t frame_bytes() const { return static_cast<size_t>(parameters_->block_align); }

  // Calls `put` for each frame that comes out, with its time stamp (in the stream's ticks) and its samples, which are
  // valid during the call. A null packet is the end of the stream. What cannot be decoded is left out.
  using Put = std::function<void(int64_t pts, Bytes samples)>;
  void decode(const AVPacket* packet, const Put& put);

 private:
  PcmDecoder(CodecPtr decoder, ParametersPtr parameters);
  Bytes convert(const AVFrame& frame);

  CodecPtr decoder_;
  ParametersPtr parameters_;
  SwrPtr resampler_;
  FramePtr frame_ = make_frame();
  std::vector<std::byte> wide_;    // 16 bits a sample, or 32 where 24 are wanted: libswresample has no 24
  std::vector<std::byte> packed_;  // 24 bits a sample
};

// A track of PCM as one row of samples from time 0 on. Pieces are put in where their time stamps say, and taken out in
// pieces that end at the sample asked for. Between the pieces is silence: zero bytes, so samples have to be signed or
// floating-point.
//
// Not thread-safe. Positions are samples (one of each channel), from 0.
class PcmLine {
 public:
  // `sample_rate` a second; `frame_bytes` of one sample of all channels.
  PcmLine(int sample_rate, size_t frame_bytes) : rate_(sample_rate), frame_bytes_(frame_bytes) {}

  // Samples that belong at `first` (may be negative: what lies before 0 is left out). A piece that would begin within
  // 10 ms of the end of the one before follows it directly: such a difference is rounding of time stamps.
  void put(int64_t first, Bytes samples);
  // Behind the last sample that was put in.
  int64_t end() const { return begin_ + static_cast<int64_t>(waiting() / frame_bytes_); }

  // The next samples before `end`; there may be none. Valid until the next call.
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
  int64_t begin_ = 0;             // the next sample to be taken out
  bool begun_ = false;            // a piece was put in
  std::vector<std::byte> bytes_;  // the samples; those before `taken_` have been taken out
  size_t taken_ = 0;              // bytes
};

}  // namespace texcast::media
