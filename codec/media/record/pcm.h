// pcm.h — PCM for a recording: decodes sound, and arranges it in time without gaps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "media/ffmpeg.h"

namespace texcast::media {

// Decodes packets of any audio codec to interleaved PCM of 16 bits per sample, or 24 if the source has more.
//
// Not thread-safe.
class PcmDecoder {
 public:
  // Null if this FFmpeg cannot decode such sound. `time_base`: of its packets.
  static std::unique_ptr<PcmDecoder> open(const AVCodecParameters& parameters, AVRational time_base);

  const AVCodecParameters& parameters() const { return *parameters_; }  // of the PCM: pcm_s16le or pcm_s24le
  size_t frame_bytes() const { return static_cast<size_t>(parameters_->block_align); }

  // Calls `put` for each decoded frame, with its time stamp (in the stream's ticks) and its samples, which are valid
  // during the call. A null packet is the end of the stream. Data that cannot be decoded are skipped.
  using Put = std::function<void(int64_t pts, Bytes samples)>;
  void decode(const AVPacket* packet, const Put& put);

 private:
  PcmDecoder(CodecPtr decoder, ParametersPtr parameters);
  Bytes convert(const AVFrame& frame);

  CodecPtr decoder_;
  ParametersPtr parameters_;
  SwrPtr resampler_;
  FramePtr frame_ = make_frame();
  std::vector<std::byte> wide_;    // 16 bits per sample, or 32 if 24 are wanted, which libswresample does not have
  std::vector<std::byte> packed_;  // 24 bits per sample
};

// A track of PCM as one sequence of samples from time 0 on. Pieces are added at the places of their time stamps, and
// removed in pieces that end at a given sample. Gaps are silence: zero bytes, so samples must be signed or
// floating-point.
//
// Not thread-safe. Positions are samples (one of each channel), from 0.
class PcmLine {
 public:
  // `sample_rate` in Hz; `frame_bytes` of one sample of all channels.
  PcmLine(int sample_rate, size_t frame_bytes) : rate_(sample_rate), frame_bytes_(frame_bytes) {}

  // Adds samples that belong at `first` (may be negative: those before 0 are dropped). A piece that would begin within
  // 10 ms of the end of the previous one is appended directly: such a difference is rounding of time stamps.
  void put(int64_t first, Bytes samples);
  // The position after the last sample.
  int64_t end() const { return begin_ + static_cast<int64_t>(waiting() / frame_bytes_); }

  // Removes the next samples before `end`; there may be none. Valid until the next call.
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
  int64_t begin_ = 0;             // the next sample to be removed
  bool begun_ = false;            // a piece was added
  std::vector<std::byte> bytes_;  // the samples; those before `taken_` have been removed
  size_t taken_ = 0;              // bytes
};

}  // namespace texcast::media
