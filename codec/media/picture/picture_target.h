// picture_target.h — what an output file's name asks of FFmpeg: container, encoder, pixel format, colours.
#pragma once

#include <string>

#include "media/ffmpeg.h"
#include "texcast/frame.h"

namespace texcast::media {

struct PictureTarget {
  const AVOutputFormat* muxer = nullptr;
  const AVCodec* encoder = nullptr;
  AVPixelFormat pixel_format = AV_PIX_FMT_RGB24;  // as the encoder takes it
  bool is_rgb = true;
  ColorMatrix matrix = ColorMatrix::bt709;  // of YUV
  ColorRange range = ColorRange::full;
  bool is_image = false;     // one file a picture
  bool is_sequence = false;  // and a numbered name
};

// Throws Error{usage} for a name that FFmpeg has no format for.
// `wanted` is what the pictures come in: the pixel format is that or the nearest that the encoder takes.
PictureTarget choose_picture_target(const std::string& path, AVPixelFormat wanted);

}  // namespace texcast::media
