// scaler.h — converts pixel formats and sizes by libswscale, set up for the best quality.
#pragma once

#include <memory>

#include "media/ffmpeg.h"
#include "texcast/frame.h"
#include "texcast/frame_pool.h"

namespace texcast::media {

class HalfPixels;

struct ScalerSide {
  AVPixelFormat format;  // a yuvj format counts as its yuv format: only `range` matters
  int width;             // pixels
  int height;
  ColorMatrix matrix;
  ColorRange range;
};

// For sws_scale(). Null if swscale cannot convert between these formats. Thread-safe.
ScalerPtr make_scaler(const ScalerSide& from, const ScalerSide& to);

// Converts frames of any format and size to one format and size. The input may change from frame to frame. If its shape
// differs, by its size and pixel aspect (AVFrame::sample_aspect_ratio; 0: square), it is fitted into the middle of a
// black frame. Conversion to rgba_half: floats are taken as linear light, including negative values, and limited to
// 65504; PQ and HLG are converted to it, 1 being 203 cd/m2 (BT.2408), with HLG as displayed at 1000 cd/m2.
//
// Not thread-safe.
class FrameConverter {
 public:
  // Throws Error{failed} if there is no memory for a frame.
  explicit FrameConverter(const FrameFormat& to);
  ~FrameConverter();
  // Whether frames of a kind should become rgba_half: floats always, PQ and HLG if `from_curves`.
  static bool makes_half(AVPixelFormat format, AVColorTransferCharacteristic transfer, bool from_curves);
  // Converts into a buffer of the converter, valid until the next call. Throws Error{input} if swscale cannot read
  // `in`.
  const AVFrame& convert(const AVFrame& in);
  // The same into a frame of a pool, whose frames have that format.
  void convert_into(const AVFrame& in, const FrameLease& out);

 private:
  // The part of the output frame that the picture fills, in samples of its first plane.
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
  std::unique_ptr<HalfPixels> halves_;  // for conversion to rgba_half
  FramePtr wide_;                       // swscale's output for halves_
};

// A view of the frame's memory, whose layout must be that of `format`. Valid as long as the frame.
FrameView view_of(const AVFrame& frame, const FrameFormat& format);

}  // namespace texcast::media
