// picture_target.h — what an output file's name asks of FFmpeg: container, encoder, pixel format, colours.
#pragma once

#include <string>

#include "av_headers.h"

namespace texcast::media {

struct PictureTarget {
  const AVOutputFormat* muxer = nullptr;
  const AVCodec* encoder = nullptr;
  AVPixelFormat pixel_format = AV_PIX_FMT_RGB24;   // as the encoder takes it
  AVPixelFormat scaler_format = AV_PIX_FMT_RGB24;  // the same for swscale, which wants the range apart
  AVColorSpace matrix = AVCOL_SPC_RGB;
  AVColorRange range = AVCOL_RANGE_JPEG;
  bool is_image = false;     // one file a picture
  bool is_sequence = false;  // and a numbered name
};

// Throws Error{usage} for a name that FFmpeg has no format for.
PictureTarget choose_picture_target(const std::string& path);

}  // namespace texcast::media
