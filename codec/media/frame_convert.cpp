#include "frame_convert.h"

#include <fmt/core.h>

#include "av_error.h"
#include "base/error.h"
#include "pixel_formats.h"

namespace texcast::media {
namespace {

// swscale wants the range apart from the format.
AVPixelFormat without_range(int format) {
  switch (format) {
    case AV_PIX_FMT_YUVJ420P: return AV_PIX_FMT_YUV420P;
    case AV_PIX_FMT_YUVJ422P: return AV_PIX_FMT_YUV422P;
    case AV_PIX_FMT_YUVJ444P: return AV_PIX_FMT_YUV444P;
    case AV_PIX_FMT_YUVJ440P: return AV_PIX_FMT_YUV440P;
    case AV_PIX_FMT_YUVJ411P: return AV_PIX_FMT_YUV411P;
    default: return static_cast<AVPixelFormat>(format);
  }
}

const int* coefficients(ColorMatrix matrix) { return sws_getCoefficients(av_matrix(matrix)); }

constexpr int kBestFlags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP;

}  // namespace

FrameConverter::FrameConverter(const FrameFormat& to) : to_(to), out_(make_frame()) {
  out_->format = av_format(to.pixel_format);
  out_->width = to.width;
  out_->height = to.height;
  const int code = av_frame_get_buffer(out_.get(), 0);
  if (code < 0) throw Error(ErrorKind::failed, "no memory for a frame: " + av_error_text(code));
}

void FrameConverter::configure(const AVFrame& in) {
  in_format_ = in.format;
  in_width_ = in.width;
  in_height_ = in.height;
  in_color_ = color_of(in);
  const AVPixelFormat from = without_range(in.format);
  scaler_.reset();
  if (sws_isSupportedInput(from))
    scaler_.reset(sws_getContext(in.width, in.height, from, to_.width, to_.height, av_format(to_.pixel_format),
                                 kBestFlags, nullptr, nullptr, nullptr));
  if (!scaler_)
    throw Error(ErrorKind::input, fmt::format("frames of pixel format {} cannot be read: swscale does not convert it",
                                              av_get_pix_fmt_name(static_cast<AVPixelFormat>(in.format))));
  constexpr int kNeutral = 1 << 16;  // contrast and saturation of 1
  sws_setColorspaceDetails(scaler_.get(), coefficients(in_color_.matrix), in_color_.range == ColorRange::full,
                           coefficients(to_.color.matrix), to_.color.range == ColorRange::full, 0, kNeutral, kNeutral);
}

const AVFrame& FrameConverter::convert(const AVFrame& in) {
  if (!scaler_ || in.format != in_format_ || in.width != in_width_ || in.height != in_height_ ||
      color_of(in) != in_color_)
    configure(in);
  sws_scale(scaler_.get(), in.data, in.linesize, 0, in.height, out_->data, out_->linesize);
  return *out_;
}

FrameView view_of(const AVFrame& frame, const FrameFormat& format) {
  FrameView view{.format = format, .planes = {}};
  for (int p = 0; p < plane_count(format.pixel_format); ++p) {
    const auto i = static_cast<size_t>(p);
    view.planes[i] = {.data = reinterpret_cast<const std::byte*>(frame.data[i]), .stride_bytes = frame.linesize[i]};
  }
  return view;
}

}  // namespace texcast::media
