#include "frame_convert.h"

#include <fmt/core.h>

#include "base/error.h"
#include "media/av_error.h"
#include "media/pixel_formats.h"
#include "media/scaler.h"

namespace texcast::media {

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
  const auto format = static_cast<AVPixelFormat>(in.format);
  scaler_ = make_scaler({format, in.width, in.height, in_color_.matrix, in_color_.range},
                        {av_format(to_.pixel_format), to_.width, to_.height, to_.color.matrix, to_.color.range});
  if (!scaler_)
    throw Error(ErrorKind::input, fmt::format("frames of pixel format {} cannot be read: swscale does not convert them",
                                              av_get_pix_fmt_name(format)));
}

void FrameConverter::scale(const AVFrame& in, uint8_t* const* planes, const int* strides) {
  if (!scaler_ || in.format != in_format_ || in.width != in_width_ || in.height != in_height_ ||
      color_of(in) != in_color_)
    configure(in);
  sws_scale(scaler_.get(), in.data, in.linesize, 0, in.height, planes, strides);
}

const AVFrame& FrameConverter::convert(const AVFrame& in) {
  scale(in, out_->data, out_->linesize);
  return *out_;
}

void FrameConverter::convert_into(const AVFrame& in, const FrameLease& out) {
  uint8_t* planes[4] = {};
  int strides[4] = {};
  const FrameView view = out.view();
  for (int p = 0; p < plane_count(to_.pixel_format); ++p) {
    planes[p] = reinterpret_cast<uint8_t*>(out.plane(p));
    strides[p] = static_cast<int>(view.planes[static_cast<size_t>(p)].stride_bytes);
  }
  scale(in, planes, strides);
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
