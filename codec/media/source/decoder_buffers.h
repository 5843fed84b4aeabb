// decoder_buffers.h — what a decoder of FFmpeg uses on its own threads: memory for its frames, and a listener for its
// messages about damaged ones.
//
// The memory is that of frames of a FramePool where they fit, so that an encoder reads them without a copy.
//
// A decoder may require the stride of its first frame throughout. So every frame that could be in a pool has
// place_frame()'s layout from the first one on, even if it is in ordinary memory: before there is a pool, and if none
// of its frames is free.
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

// Not movable, and must outlive its decoders, which keep its address.
class DecoderBuffers final : public DecoderListener {
 public:
  DecoderBuffers() = default;
  DecoderBuffers(const DecoderBuffers&) = delete;
  DecoderBuffers& operator=(const DecoderBuffers&) = delete;
  ~DecoderBuffers();

  void attach(AVCodecContext& decoder);  // before avcodec_open2()
  // Applies to frames from now on. Thread-safe, also beside the decoder's own threads, which request memory.
  void take_from(std::shared_ptr<FramePool> pool);

  // Returns the decoder's complaint about the packet of that number (AVCodecContext::reordered_opaque when it was
  // sent), or nothing. Discards it, and those about packets long before.
  //
  // The complaints are taken from the log, because with frame threads frames come out with the error flags from before
  // they were decoded.
  std::optional<std::string> take_complaint(int64_t packet);

 private:
  void said(const AVCodecContext& decoder, int level, const std::string& line) override;
  static int get_buffer(AVCodecContext* decoder, AVFrame* frame, int flags);  // called by FFmpeg, on any thread
  AVBufferRef* allocate(const FrameFormat& format, const FramePlacement& placed);

  std::mutex mutex_;
  std::shared_ptr<FramePool> pool_;
  AVBufferPool* plain_ = nullptr;
  size_t plain_bytes_ = 0;
  std::map<int64_t, std::string> complaints_;  // the first one about each packet
};

}  // namespace texcast::media
