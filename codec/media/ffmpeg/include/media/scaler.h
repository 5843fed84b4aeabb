// scaler.h — swscale set up the way that keeps most of the picture.
#pragma once

#include "media/av_ptr.h"
#include "texcast/frame.h"

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

}  // namespace texcast::media
