// scaler.h — conversion of pixel formats and sizes by libswscale, set up to keep as much of the picture as it can.
#pragma once

#include <memory>

#include "media/ffmpeg.h"
#include "texcast/frame.h"
#include "texcast/frame_pool.h"

namespace texcast::media {

class HalfPixels;

struct ScalerSide {
  AVPixelFormat format;  // a yuvj format is the same as its yuv one: only `range` counts
  int width;             // pixels
  int height;
  ColorMatrix matrix;
  ColorRange range;
};

// For sws_scale(). Null where swscale does not convert between these formats. Thread-safe.
ScalerPtr make_scaler(const ScalerSide& from, const ScalerSide& to);

// Frames of any format and size into frames of one format and size. The input may change from frame to frame; where its
// shape is another, which the sizes and the shapes of the pixels say (AVFrame::sample_aspect_ratio; 0: square), it is
// fitted into the middle of a black frame. To rgba_half: floats are linear light as they are, negative ones too, held
// to 65504; PQ and HLG are turned into it, 1 being 203 cd/m2 (BT.2408), as HLG looks at 1000 cd/m2.
//
// Not thread-safe.
class FrameConverter {
 public:
  // Throws Error{failed} where there is no memory for a frame.
  explicit FrameConverter(const FrameFormat& to);
  ~FrameConverter();
  // Whether frames of a kind are to become rgba_half: floats always, PQ and HLG where `from_curves`.
  static bool makes_half(AVPixelFormat format, AVColorTransferCharacteristic transfer, bool from_curves);
  // Into a buffer of the converter's own, valid until the next call. Throws Error{input} when swscale cannot read `in`.
  const AVFrame& convert(const AVFrame& in);
  // The same into a frame of a pool, whose frames are of that format.
  void convert_into(const AVFrame& in, const FrameLease& out);

 private:
  // The part of our frame that the picture fills, in samples of its first plane.
  struct Inside {
    int x = 0, y = 0, width = 0, height = 0;
  };
  Inside fit(const AVFrame& in) const;
  void configure(const AVFrame& in);
  void scale(const AVFrame& in, uint8_t* const* planes, const int* strides);
  void run_scaler(const AVFrame& in, AVPixelFormat format, uint8_t* const* planes, const int* strides);
  void to_halves(const AVFrame& in, uint8_t* plane, int stride);

  FrameFormat to_;
  FramePtr out_;
  ScalerPtr scaler_;
  int in_format_ = AV_PIX_FMT_NONE;
  int in_width_ = 0;
  int in_height_ = 0;
  PixelAspect in_aspect_;
  ColorSpec in_color_;
  Inside inside_;
  std::unique_ptr<HalfPixels> halves_;  // to rgba_half
  FramePtr wide_;                       // what swscale makes for them
};

// The frame's memory, which has to lie as `format` says, as a view. Valid as long as the frame.
FrameView view_of(const AVFrame& frame, const FrameFormat& format);

}  // namespace texcast::media
