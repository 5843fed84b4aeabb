#include "media/scaler.h"

#include "media/pixel_formats.h"

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
  // The ranges have to be there already: initialising picks a plain copy where sizes and formats are the same, and
  // setting other ranges afterwards does not take that back.
  if (sws_init_context(scaler.get(), nullptr, nullptr) < 0) return nullptr;
  constexpr int kNeutral = 1 << 16;  // contrast and saturation of 1
  sws_setColorspaceDetails(scaler.get(), coefficients(from.matrix), from_full, coefficients(to.matrix), to_full, 0,
                           kNeutral, kNeutral);
  return scaler;
}

}  // namespace texcast::media
