// frame_convert.h — frames through swscale into one fixed format, into one buffer that is used again and again.
#pragma once

#include "media/av_ptr.h"
#include "texcast/frame.h"
#include "texcast/frame_pool.h"

namespace texcast::media {

class FrameConverter {
 public:
  // Throws Error{input} when swscale cannot read `from` at all.
  explicit FrameConverter(const FrameFormat& to);
  // Valid until the next call. Changes of the input's format from frame to frame are taken as they come.
  const AVFrame& convert(const AVFrame& in);
  // The same into a frame of a pool for such frames.
  void convert_into(const AVFrame& in, const FrameLease& out);

 private:
  void configure(const AVFrame& in);
  void scale(const AVFrame& in, uint8_t* const* planes, const int* strides);

  FrameFormat to_;
  FramePtr out_;
  ScalerPtr scaler_;
  int in_format_ = AV_PIX_FMT_NONE;
  int in_width_ = 0;
  int in_height_ = 0;
  ColorSpec in_color_;
};

// Borrowed from the frame, whose memory already lies as `format` says.
FrameView view_of(const AVFrame& frame, const FrameFormat& format);

}  // namespace texcast::media
