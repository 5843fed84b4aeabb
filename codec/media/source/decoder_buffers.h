// decoder_buffers.h — the memory that FFmpeg's decoders write frames into: a pool's where they fit, so that an encoder
// reads them where they lie.
//
// A decoder may keep to one stride for as long as it runs. So every frame that could lie in a pool lies as place_frame
// says from the first on, also in plain memory: before there is a pool, and when it has no more.
#pragma once

#include <memory>
#include <mutex>

#include "media/ffmpeg.h"
#include "texcast/frame_pool.h"

namespace texcast::media {

// Its address is FFmpeg's: stays where it is made, and outlives the decoders.
class DecoderBuffers {
 public:
  DecoderBuffers() = default;
  DecoderBuffers(const DecoderBuffers&) = delete;
  DecoderBuffers& operator=(const DecoderBuffers&) = delete;
  ~DecoderBuffers();

  void attach(AVCodecContext& decoder);  // before it is opened
  // For frames from now on. Thread-safe, as a decoder's own threads ask for memory.
  void take_from(std::shared_ptr<FramePool> pool);

 private:
  static int get_buffer(AVCodecContext* decoder, AVFrame* frame, int flags);  // FFmpeg calls, on any thread
  AVBufferRef* allocate(const FrameFormat& format, const FramePlacement& placed);

  std::mutex mutex_;
  std::shared_ptr<FramePool> pool_;
  AVBufferPool* plain_ = nullptr;
  size_t plain_bytes_ = 0;
};

}  // namespace texcast::media
