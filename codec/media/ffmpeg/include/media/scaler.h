// scaler.h — swscale set up the way that keeps most of the picture, and frames through it into one fixed format.
#pragma once

#include "media/ffmpeg.h"
#include "texcast/frame.h"
#include "texcast/frame_pool.h"

namespace texcast::media {

struct ScalerSide {
  AVPixelFormat format;  // yuvj formats are taken as their yuv ones: `range` says it all
  int width;
  int height;
  ColorMatrix matrix;
  ColorRange range;
};

// Null where swscale does not convert between these formats.
ScalerPtr make_scaler(const ScalerSide& from, const ScalerSide& to);

// Into one buffer, which is used again and again.
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
