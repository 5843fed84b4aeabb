#include "media/scaler.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "half_pixels.h"
#include "media/pixel_formats.h"
#include "texcast/error.h"

namespace texcast::media {
namespace {

AVPixelFormat without_range(AVPixelFormat format) {
  switch (format) {
    case AV_PIX_FMT_YUVJ420P: return AV_PIX_FMT_YUV420P;
    case AV_PIX_FMT_YUVJ422P: return AV_PIX_FMT_YUV422P;
    case AV_PIX_FMT_YUVJ444P: return AV_PIX_FMT_YUV444P;
    case AV_PIX_FMT_YUVJ440P: return AV_PIX_FMT_YUV440P;
    case AV_PIX_FMT_YUVJ411P: return AV_PIX_FMT_YUV411P;
    default: return format;
  }
}

void set(SwsContext& scaler, const char* option, int64_t value) { av_opt_set_int(&scaler, option, value, 0); }

const int* coefficients(ColorMatrix matrix) { return sws_getCoefficients(av_matrix(matrix)); }

double ratio(PixelAspect aspect) { return static_cast<double>(aspect.num) / aspect.den; }

}  // namespace

ScalerPtr make_scaler(const ScalerSide& from, const ScalerSide& to) {
  const AVPixelFormat from_format = without_range(from.format), to_format = without_range(to.format);
  if (!sws_isSupportedInput(from_format) || !sws_isSupportedOutput(to_format)) return nullptr;
  ScalerPtr scaler(sws_alloc_context());
  if (!scaler) throw std::bad_alloc();
  const bool from_full = from.range == ColorRange::full, to_full = to.range == ColorRange::full;
  set(*scaler, "srcw", from.width);
  set(*scaler, "srch", from.height);
  set(*scaler, "src_format", from_format);
  set(*scaler, "src_range", from_full);
  set(*scaler, "dstw", to.width);
  set(*scaler, "dsth", to.height);
  set(*scaler, "dst_format", to_format);
  set(*scaler, "dst_range", to_full);
  set(*scaler, "sws_flags", SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP);
  // The ranges are set before sws_init_context(), which chooses a plain copy if sizes and formats are the same. Ranges
  // that are set afterwards do not change that choice.
  if (sws_init_context(scaler.get(), nullptr, nullptr) < 0) return nullptr;
  constexpr int kNeutral = 1 << 16;  // contrast and saturation of 1
  sws_setColorspaceDetails(scaler.get(), coefficients(from.matrix), from_full, coefficients(to.matrix), to_full, 0,
                           kNeutral, kNeutral);
  return scaler;
}

FrameConverter::FrameConverter(const FrameFormat& to) : to_(to), out_(make_frame()) {
  out_->format = av_format(to.pixel_format);
  out_->width = to.width;
  out_->height = to.height;
  const int code = av_frame_get_buffer(out_.get(), 0);
  if (code < 0) throw Error(ErrorKind::failed, "no memory for a frame: " + av_error_text(code));
}

FrameConverter::~FrameConverter() = default;

bool FrameConverter::makes_half(AVPixelFormat format, AVColorTransferCharacteristic transfer, bool from_curves) {
  return becomes_half(format, transfer, from_curves);
}

// Everything if the shapes agree to within a row or column; else a part that is aligned to chroma samples.
FrameConverter::Inside FrameConverter::fit(const AVFrame& in) const {
  const double shape = ratio(aspect_of(in)) * in.width / in.height;
  const double ours = ratio(to_.aspect) * to_.width / to_.height;
  Inside inside{0, 0, to_.width, to_.height};
  const auto shortened = [](int side, double part) {
    const int wanted = static_cast<int>(std::lround(side * part));
    return wanted + 1 >= side || side < 4 ? side : std::max(2, (wanted + 1) / 2 * 2);
  };
  const auto beside = [](int side, int inner) { return (side - inner) / 4 * 2; };  // half of it, and even
  if (shape < ours) inside.width = shortened(to_.width, shape / ours);
  if (shape > ours) inside.height = shortened(to_.height, ours / shape);
  inside.x = beside(to_.width, inside.width);
  inside.y = beside(to_.height, inside.height);
  return inside;
}

void FrameConverter::configure(const AVFrame& in) {
  in_format_ = in.format;
  in_width_ = in.width;
  in_height_ = in.height;
  in_color_ = color_of(in);
  in_aspect_ = aspect_of(in);
  inside_ = fit(in);
  const auto format = static_cast<AVPixelFormat>(in.format);
  AVPixelFormat made = av_format(to_.pixel_format);
  if (to_.pixel_format == PixelFormat::rgba_half) {
    halves_ = std::make_unique<HalfPixels>(in.color_trc);
    made = halves_->format();
  }
  scaler_ = make_scaler({format, in.width, in.height, in_color_.matrix, in_color_.range},
                        {made, inside_.width, inside_.height, to_.color.matrix, to_.color.range});
  if (!scaler_)
    throw Error(ErrorKind::input,
                fmt::format("frames of pixel format {} are not supported: swscale cannot convert them",
                            av_get_pix_fmt_name(format)));
}

void FrameConverter::scale(const AVFrame& in, uint8_t* const* planes, const int* strides) {
  if (!scaler_ || in.format != in_format_ || in.width != in_width_ || in.height != in_height_ ||
      color_of(in) != in_color_ || aspect_of(in) != in_aspect_)
    configure(in);
  if (halves_)
    to_halves(in, planes[0], strides[0]);
  else
    run_scaler(in, av_format(to_.pixel_format), planes, strides);
}

void FrameConverter::to_halves(const AVFrame& in, uint8_t* plane, int stride) {
  if (halves_->takes(in.format) && in.width == to_.width && in.height == to_.height && inside_.width == to_.width &&
      inside_.height == to_.height)
    return halves_->convert(in, plane, stride);
  if (!wide_ || wide_->format != halves_->format()) {
    wide_ = make_frame();
    wide_->format = halves_->format();
    wide_->width = to_.width;
    wide_->height = to_.height;
    if (const int code = av_frame_get_buffer(wide_.get(), 0); code < 0)
      throw Error(ErrorKind::failed, "no memory for a frame: " + av_error_text(code));
  }
  run_scaler(in, halves_->format(), wide_->data, wide_->linesize);
  halves_->convert(*wide_, plane, stride);
}

void FrameConverter::run_scaler(const AVFrame& in, AVPixelFormat format, uint8_t* const* planes, const int* strides) {
  uint8_t* at[4] = {planes[0], planes[1], planes[2], planes[3]};
  if (inside_.width != to_.width || inside_.height != to_.height) {
    const ptrdiff_t rows[4] = {strides[0], strides[1], strides[2], strides[3]};
    av_image_fill_black(at, rows, format, to_.color.range == ColorRange::full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG,
                        to_.width, to_.height);
    const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(format);
    for (int p = 0; p < av_pix_fmt_count_planes(format); ++p) {
      const int down = p == 0 ? inside_.y : inside_.y >> d.log2_chroma_h;
      at[p] += ptrdiff_t{strides[p]} * down + av_image_get_linesize(format, inside_.x, p);
    }
  }
  sws_scale(scaler_.get(), in.data, in.linesize, 0, in.height, at, strides);
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
