// pcm_decoder.h — packets of any audio codec to interleaved PCM: 16 bits, or 24 where the source has more.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "media/ffmpeg.h"

namespace texcast::media {

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

}  // namespace texcast::media
