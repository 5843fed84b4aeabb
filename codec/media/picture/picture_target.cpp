#include "picture_target.h"

#include <fmt/core.h>

#include <string_view>

#include "base/error.h"
#include "media/file_names.h"

namespace texcast::media {
namespace {

bool is_yuvj(AVPixelFormat format) {
  return format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P;
}

AVPixelFormat closest_to(AVPixelFormat wanted, const AVCodec& encoder) {
  if (!encoder.pix_fmts) return wanted;
  return avcodec_find_best_pix_fmt_of_list(encoder.pix_fmts, wanted, wanted == AV_PIX_FMT_RGBA, nullptr);
}

void choose_colors(PictureTarget& target) {
  const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(target.pixel_format);
  target.is_rgb = (d->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0;
  if (target.is_rgb || d->nb_components <= 2) return;  // as the defaults
  // JFIF knows one matrix, BT.601 at full range; everything else here can say BT.709.
  const bool is_jpeg = is_yuvj(target.pixel_format);
  target.matrix = is_jpeg ? ColorMatrix::bt601 : ColorMatrix::bt709;
  target.range = is_jpeg ? ColorRange::full : ColorRange::limited;
}

}  // namespace

PictureTarget choose_picture_target(const std::string& path, AVPixelFormat wanted) {
  const std::string extension = lower_extension(path);
  PictureTarget target;
  AVCodecID codec = AV_CODEC_ID_NONE;
  if (extension == ".raw" || extension == ".rgb" || extension == ".yuv") {
    target.muxer = av_guess_format("rawvideo", nullptr, nullptr);
    codec = AV_CODEC_ID_RAWVIDEO;
  } else {
    target.muxer = av_guess_format(nullptr, path.c_str(), nullptr);
    if (target.muxer) codec = av_guess_codec(target.muxer, nullptr, path.c_str(), nullptr, AVMEDIA_TYPE_VIDEO);
  }
  if (!target.muxer || codec == AV_CODEC_ID_NONE)
    throw Error(ErrorKind::usage, fmt::format("'{}': FFmpeg writes no pictures under that name; try .png, .y4m, .mp4 "
                                              "or .rgb",
                                              path));
  target.encoder = avcodec_find_encoder(codec);
  if (!target.encoder)
    throw Error(ErrorKind::usage,
                fmt::format("'{}': this FFmpeg has no encoder for {}", path, avcodec_get_name(codec)));

  if (codec == AV_CODEC_ID_WRAPPED_AVFRAME)  // y4m
    target.pixel_format = AV_PIX_FMT_YUV444P;
  else if (extension == ".yuv")  // a bare file: what everyone who reads one takes it for
    target.pixel_format = AV_PIX_FMT_YUV420P;
  else if (extension == ".rgb")
    target.pixel_format = AV_PIX_FMT_RGB24;
  else
    target.pixel_format = codec == AV_CODEC_ID_RAWVIDEO ? wanted : closest_to(wanted, *target.encoder);
  choose_colors(target);
  target.is_image = std::string_view(target.muxer->name) == "image2";
  target.is_sequence = target.is_image && numbered_name(path, 0).has_value();
  return target;
}

}  // namespace texcast::media
