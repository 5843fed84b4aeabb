// decoder_buffers.h — the memory that FFmpeg's decoders write frames into: frames of a FramePool where they fit, so
// that an encoder reads them without a copy.
//
// A decoder may insist on the stride of its first frame. So every frame that could be in a pool is laid out as
// place_frame() says from the first one on, even where it is in plain memory: before there is a pool, and when none of
// its frames is free.
#pragma once

#include <memory>
#include <mutex>

#include "media/ffmpeg.h"
#include "texcast/frame_pool.h"

namespace texcast::media {

// Not to be moved, and to outlive its decoders: they keep its address.
class DecoderBuffers {
 public:
  DecoderBuffers() = default;
  DecoderBuffers(const DecoderBuffers&) = delete;
  DecoderBuffers& operator=(const DecoderBuffers&) = delete;
  ~DecoderBuffers();

  void attach(AVCodecContext& decoder);  // before avcodec_open2
  // For frames from now on. Thread-safe beside the decoder's own threads, which ask for memory.
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
