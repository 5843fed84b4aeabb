#include "media/pixel_formats.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/ensure.h"

namespace texcast::media {
namespace {

struct Pair {
  AVPixelFormat av;
  PixelFormat ours;
};
// If several rows have the same texcast format, av_format() returns the first.
constexpr std::array kPairs = {
    Pair{AV_PIX_FMT_YUV420P, PixelFormat::yuv420p},
    Pair{AV_PIX_FMT_NV12, PixelFormat::nv12},
    Pair{AV_PIX_FMT_YUV422P, PixelFormat::yuv422p},
    Pair{AV_PIX_FMT_YUV444P, PixelFormat::yuv444p},
    Pair{AV_PIX_FMT_YUYV422, PixelFormat::yuyv422},
    Pair{AV_PIX_FMT_UYVY422, PixelFormat::uyvy422},
    Pair{AV_PIX_FMT_YUV420P10LE, PixelFormat::yuv420p10},
    Pair{AV_PIX_FMT_P010LE, PixelFormat::p010},
    Pair{AV_PIX_FMT_RGB24, PixelFormat::rgb24},
    Pair{AV_PIX_FMT_RGBA, PixelFormat::rgba},
    Pair{AV_PIX_FMT_BGRA, PixelFormat::bgra},
    Pair{AV_PIX_FMT_GRAY8, PixelFormat::gray},
    Pair{AV_PIX_FMT_GRAY16LE, PixelFormat::gray16},
    Pair{AV_PIX_FMT_YUVJ420P, PixelFormat::yuv420p},
    Pair{AV_PIX_FMT_YUVJ422P, PixelFormat::yuv422p},
    Pair{AV_PIX_FMT_YUVJ444P, PixelFormat::yuv444p},
    Pair{AV_PIX_FMT_YUVA420P, PixelFormat::yuv420p},
    Pair{AV_PIX_FMT_YUVA422P, PixelFormat::yuv422p},
    Pair{AV_PIX_FMT_YUVA444P, PixelFormat::yuv444p},
    Pair{AV_PIX_FMT_YUVA420P10LE, PixelFormat::yuv420p10},
    Pair{AV_PIX_FMT_RGB0, PixelFormat::rgba},
    Pair{AV_PIX_FMT_BGR0, PixelFormat::bgra},
};

bool is_yuvj(int format) {
  return format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P ||
         format == AV_PIX_FMT_YUVJ440P || format == AV_PIX_FMT_YUVJ411P;
}

bool is_float(const AVPixFmtDescriptor& d) { return (d.flags & AV_PIX_FMT_FLAG_FLOAT) != 0; }
bool is_gray(const AVPixFmtDescriptor& d) { return d.nb_components <= 2; }
bool is_rgb(const AVPixFmtDescriptor& d) {
  return (d.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER)) != 0;
}

const AVPixFmtDescriptor& descriptor(int av) {
  const AVPixFmtDescriptor* found = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(av));
  ENSURE(found);
  return *found;
}

ColorMatrix matrix_of(const AVFrame& frame) {
  switch (frame.colorspace) {
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
    case AVCOL_SPC_FCC: return ColorMatrix::bt601;
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL: return ColorMatrix::bt2020;
    case AVCOL_SPC_UNSPECIFIED: return frame.height < 720 ? ColorMatrix::bt601 : ColorMatrix::bt709;
    default: return ColorMatrix::bt709;
  }
}

ColorRange range_of(const AVFrame& frame) {
  if (is_yuvj(frame.format) || frame.color_range == AVCOL_RANGE_JPEG) return ColorRange::full;
  if (frame.color_range == AVCOL_RANGE_MPEG) return ColorRange::limited;
  const AVPixFmtDescriptor& d = descriptor(frame.format);
  return is_rgb(d) || is_gray(d) ? ColorRange::full : ColorRange::limited;
}

}  // namespace

std::optional<PixelFormat> direct_format(AVPixelFormat av) {
  for (const Pair& pair : kPairs)
    if (pair.av == av) return pair.ours;
  return std::nullopt;
}

AVPixelFormat av_format(PixelFormat format) {
  if (format == PixelFormat::rgba_half) return AV_PIX_FMT_RGBA64LE;
  for (const Pair& pair : kPairs)
    if (pair.ours == format) return pair.av;
  ENSURE(!"every pixel format of texcast has a row");
  return AV_PIX_FMT_NONE;
}

bool carries_alpha(AVPixelFormat av) {
  return (descriptor(av).flags & (AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_PAL)) != 0;
}

namespace {

bool is_transparent_in_palette(const AVFrame& frame) {
  std::array<bool, 256> transparent{};
  for (size_t i = 0; i < transparent.size(); ++i) {
    uint32_t argb = 0;
    std::memcpy(&argb, frame.data[1] + 4 * i, sizeof argb);
    transparent[i] = argb >> 24 != 255;
  }
  for (int y = 0; y < frame.height; ++y) {
    const uint8_t* const row = frame.data[0] + static_cast<std::ptrdiff_t>(y) * frame.linesize[0];
    if (std::any_of(row, row + frame.width, [&](uint8_t index) { return transparent[index]; })) return true;
  }
  return false;
}

// A sample of alpha in memory as a number whose largest value is that of an opaque pixel.
template <int kBytes>
uint32_t alpha_at(const uint8_t* place, bool big_endian) {
  if constexpr (kBytes == 1) return *place;
  const uint32_t first = place[0], second = place[1];
  return big_endian ? first << 8 | second : second << 8 | first;
}

template <int kBytes>
bool is_transparent_in_plane(const AVFrame& frame, const AVPixFmtDescriptor& d) {
  const AVComponentDescriptor& alpha = d.comp[d.nb_components - 1];
  const uint32_t opaque = (1U << alpha.depth) - 1;
  const bool big_endian = (d.flags & AV_PIX_FMT_FLAG_BE) != 0;
  for (int y = 0; y < frame.height; ++y) {
    const uint8_t* place =
        frame.data[alpha.plane] + static_cast<std::ptrdiff_t>(y) * frame.linesize[alpha.plane] + alpha.offset;
    for (int x = 0; x < frame.width; ++x, place += alpha.step)
      if ((alpha_at<kBytes>(place, big_endian) >> alpha.shift & opaque) != opaque) return true;
  }
  return false;
}

bool is_transparent_in_floats(const AVFrame& frame, const AVPixFmtDescriptor& d) {
  const AVComponentDescriptor& alpha = d.comp[d.nb_components - 1];
  for (int y = 0; y < frame.height; ++y) {
    const uint8_t* place =
        frame.data[alpha.plane] + static_cast<std::ptrdiff_t>(y) * frame.linesize[alpha.plane] + alpha.offset;
    for (int x = 0; x < frame.width; ++x, place += alpha.step) {
      float value = 0;
      std::memcpy(&value, place, sizeof value);
      if (value < 1) return true;
    }
  }
  return false;
}

}  // namespace

// Half floats and floats in the other byte order are rare, and taken for opaque.
bool has_transparency(const AVFrame& frame) {
  const AVPixFmtDescriptor& d = descriptor(static_cast<AVPixelFormat>(frame.format));
  if ((d.flags & AV_PIX_FMT_FLAG_PAL) != 0) return is_transparent_in_palette(frame);
  if ((d.flags & AV_PIX_FMT_FLAG_ALPHA) == 0 || (d.flags & (AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL)) != 0)
    return false;
  const int depth = d.comp[d.nb_components - 1].depth;
  if (is_float(d)) return depth == 32 && (d.flags & AV_PIX_FMT_FLAG_BE) == 0 && is_transparent_in_floats(frame, d);
  return depth > 8 ? is_transparent_in_plane<2>(frame, d) : is_transparent_in_plane<1>(frame, d);
}

PixelFormat nearest_format(AVPixelFormat av) {
  if (const auto direct = direct_format(av)) return *direct;
  const AVPixFmtDescriptor& d = descriptor(av);
  if (is_float(d)) return PixelFormat::rgba_half;
  // Four bytes per pixel are uploaded and read faster than three, so a source that has four keeps them. Three are not
  // widened.
  if (is_rgb(d) || av == AV_PIX_FMT_XYZ12LE || av == AV_PIX_FMT_XYZ12BE)
    return carries_alpha(av) || av_get_padded_bits_per_pixel(&d) == 32 ? PixelFormat::rgba : PixelFormat::rgb24;
  if (is_gray(d)) return d.comp[0].depth > 8 ? PixelFormat::gray16 : PixelFormat::gray;
  if (d.log2_chroma_w == 1 && d.log2_chroma_h == 1)
    return d.comp[0].depth > 8 ? PixelFormat::yuv420p10 : PixelFormat::yuv420p;
  if (d.log2_chroma_w == 1 && d.log2_chroma_h == 0) return PixelFormat::yuv422p;
  return PixelFormat::yuv444p;
}

ColorSpec color_of(const AVFrame& frame) {
  const AVPixFmtDescriptor& d = descriptor(frame.format);
  return {.matrix = is_rgb(d) ? ColorMatrix::bt709 : matrix_of(frame),
          .range = range_of(frame),
          .primaries = static_cast<uint8_t>(frame.color_primaries),
          .transfer = static_cast<uint8_t>(frame.color_trc)};
}

PixelAspect aspect_of(const AVFrame& frame) {
  return pixel_aspect(frame.sample_aspect_ratio.num, frame.sample_aspect_ratio.den).value_or(PixelAspect{});
}

bool is_known_matrix(AVColorSpace matrix) {
  switch (matrix) {
    case AVCOL_SPC_RGB:  // RGB pixels, and JPEG files without a matrix
    case AVCOL_SPC_BT709:
    case AVCOL_SPC_UNSPECIFIED:
    case AVCOL_SPC_RESERVED:
    case AVCOL_SPC_FCC:
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL: return true;
    default: return false;
  }
}

AVColorSpace av_matrix(ColorMatrix matrix) {
  switch (matrix) {
    case ColorMatrix::bt601: return AVCOL_SPC_SMPTE170M;
    case ColorMatrix::bt709: return AVCOL_SPC_BT709;
    case ColorMatrix::bt2020: return AVCOL_SPC_BT2020_NCL;
  }
  return AVCOL_SPC_UNSPECIFIED;
}

AVPixelFormat av_format(int channels, SampleType samples) {
  ENSURE(channels >= 1 && channels <= 4);
  if (samples == SampleType::half) return AV_PIX_FMT_GBRPF32;
  if (samples == SampleType::unorm16)
    return channels == 1 ? AV_PIX_FMT_GRAY16 : channels == 4 ? AV_PIX_FMT_RGBA64 : AV_PIX_FMT_RGB48;
  return channels == 1 ? AV_PIX_FMT_GRAY8 : channels == 4 ? AV_PIX_FMT_RGBA : AV_PIX_FMT_RGB24;
}

std::span<const uint8_t> pixels_of(const DecodedImage& image, std::vector<uint8_t>& rgb) {
  if (image.channels != 2) return image.pixels;
  const auto bytes = static_cast<size_t>(2 * sample_bytes(image.samples));  // of red and green
  const size_t texels = image.pixels.size() / bytes;
  rgb.assign(texels * bytes / 2 * 3, 0);
  for (size_t i = 0; i < texels; ++i) std::memcpy(&rgb[i * bytes / 2 * 3], &image.pixels[i * bytes], bytes);
  return rgb;
}

}  // namespace texcast::media
