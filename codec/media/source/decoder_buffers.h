// decoder_buffers.h — what a decoder of FFmpeg has of us while it works, on its own threads: memory for its frames, and
// an ear for what it says of damaged ones.
//
// The memory: frames of a FramePool where they fit, so that an encoder reads them without a copy.
//
// A decoder may insist on the stride of its first frame. So every frame that could be in a pool is laid out as
// place_frame() says from the first one on, even where it is in plain memory: before there is a pool, and when none of
// its frames is free.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "media/ffmpeg.h"
#include "texcast/frame_pool.h"

namespace texcast::media {

// Not to be moved, and to outlive its decoders: they keep its address.
class DecoderBuffers final : public DecoderListener {
 public:
  DecoderBuffers() = default;
  DecoderBuffers(const DecoderBuffers&) = delete;
  DecoderBuffers& operator=(const DecoderBuffers&) = delete;
  ~DecoderBuffers();

  void attach(AVCodecContext& decoder);  // before avcodec_open2
  // For frames from now on. Thread-safe beside the decoder's own threads, which ask for memory.
  void take_from(std::shared_ptr<FramePool> pool);

  // What the decoder said was wrong with the packet of that number (AVCodecContext::reordered_opaque when it was sent),
  // after which that is forgotten, and what was said of packets long before. Nothing: it said nothing.
  //
  // Why by what it logs: with a thread a frame, frames come out with the error flags that they had before they were
  // decoded.
  std::optional<std::string> take_complaint(int64_t packet);

 private:
  void said(const AVCodecContext& decoder, int level, const std::string& line) override;
  static int get_buffer(AVCodecContext* decoder, AVFrame* frame, int flags);  // FFmpeg calls, on any thread
  AVBufferRef* allocate(const FrameFormat& format, const FramePlacement& placed);

  std::mutex mutex_;
  std::shared_ptr<FramePool> pool_;
  AVBufferPool* plain_ = nullptr;
  size_t plain_bytes_ = 0;
  std::map<int64_t, std::string> complaints_;  // the first of each packet
};

}  // namespace texcast::media
