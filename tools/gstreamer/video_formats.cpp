#include "video_formats.h"

#include <array>
#include <cmath>
#include <string>

namespace texcast::gstreamer {
namespace {

constexpr double kHighestRate = 10000;

struct SentFormat {
  GstVideoFormat video;
  PixelFormat pixel;
  bool opaque = false;
};

// The formats that need the fewest bytes first: elements upstream choose the first that they have.
constexpr std::array kSent = {
    SentFormat{GST_VIDEO_FORMAT_NV12, PixelFormat::nv12},
    SentFormat{GST_VIDEO_FORMAT_I420, PixelFormat::yuv420p},
    SentFormat{GST_VIDEO_FORMAT_YV12, PixelFormat::yuv420p},  // its planes are U and V, exchanged
    SentFormat{GST_VIDEO_FORMAT_YUY2, PixelFormat::yuyv422},
    SentFormat{GST_VIDEO_FORMAT_UYVY, PixelFormat::uyvy422},
    SentFormat{GST_VIDEO_FORMAT_BGRx, PixelFormat::bgra, true},
    SentFormat{GST_VIDEO_FORMAT_RGBx, PixelFormat::rgba, true},
    SentFormat{GST_VIDEO_FORMAT_RGBA, PixelFormat::rgba},
    SentFormat{GST_VIDEO_FORMAT_BGRA, PixelFormat::bgra},
    SentFormat{GST_VIDEO_FORMAT_RGB, PixelFormat::rgb24},
    SentFormat{GST_VIDEO_FORMAT_Y42B, PixelFormat::yuv422p},
    SentFormat{GST_VIDEO_FORMAT_Y444, PixelFormat::yuv444p},
    SentFormat{GST_VIDEO_FORMAT_I420_10LE, PixelFormat::yuv420p10},
    SentFormat{GST_VIDEO_FORMAT_P010_10LE, PixelFormat::p010},
    SentFormat{GST_VIDEO_FORMAT_GRAY8, PixelFormat::gray},
    SentFormat{GST_VIDEO_FORMAT_GRAY16_LE, PixelFormat::gray16},
};

// RGB first, in which textures are.
constexpr std::array kReceived = {
    GST_VIDEO_FORMAT_RGBA,  GST_VIDEO_FORMAT_BGRA,      GST_VIDEO_FORMAT_RGBx,      GST_VIDEO_FORMAT_BGRx,
    GST_VIDEO_FORMAT_RGB,   GST_VIDEO_FORMAT_BGR,       GST_VIDEO_FORMAT_ARGB,      GST_VIDEO_FORMAT_ABGR,
    GST_VIDEO_FORMAT_NV12,  GST_VIDEO_FORMAT_I420,      GST_VIDEO_FORMAT_YV12,      GST_VIDEO_FORMAT_YUY2,
    GST_VIDEO_FORMAT_UYVY,  GST_VIDEO_FORMAT_Y42B,      GST_VIDEO_FORMAT_Y444,      GST_VIDEO_FORMAT_AYUV,
    GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_I420_10LE,
};

GstCaps* caps_of(const std::string& formats) {
  const std::string side = "[ 1, " + std::to_string(kMaxFrameSize) + " ]";
  const std::string text = "video/x-raw, format = { " + formats + " }, width = " + side + ", height = " + side +
                           ", framerate = [ 0/1, 2147483647/1 ]";
  return gst_caps_from_string(text.c_str());
}

void append(std::string& list, GstVideoFormat format) {
  if (!list.empty()) list += ", ";
  list += gst_video_format_to_string(format);
}

std::optional<ColorMatrix> matrix_of(GstVideoColorMatrix matrix) {
  switch (matrix) {
    case GST_VIDEO_COLOR_MATRIX_BT601: return ColorMatrix::bt601;
    case GST_VIDEO_COLOR_MATRIX_BT2020: return ColorMatrix::bt2020;
    case GST_VIDEO_COLOR_MATRIX_UNKNOWN:
    case GST_VIDEO_COLOR_MATRIX_RGB:
    case GST_VIDEO_COLOR_MATRIX_BT709: return ColorMatrix::bt709;
    default: return std::nullopt;
  }
}

}  // namespace

GstCaps* sent_caps() {
  std::string formats;
  for (const SentFormat& format : kSent) append(formats, format.video);
  return caps_of(formats);
}

GstCaps* received_caps() {
  std::string formats;
  for (const GstVideoFormat format : kReceived) append(formats, format);
  return caps_of(formats);
}

std::optional<FrameFormat> frame_format(const GstVideoInfo& info) {
  const int width = GST_VIDEO_INFO_WIDTH(&info), height = GST_VIDEO_INFO_HEIGHT(&info);
  if (width < 1 || height < 1 || width > kMaxFrameSize || height > kMaxFrameSize || GST_VIDEO_INFO_IS_INTERLACED(&info))
    return std::nullopt;
  for (const SentFormat& sent : kSent) {
    if (sent.video != GST_VIDEO_INFO_FORMAT(&info)) continue;
    const GstVideoColorimetry& color = info.colorimetry;
    const auto matrix = matrix_of(color.matrix);
    if (!matrix) return std::nullopt;
    const bool is_full = is_rgb(sent.pixel) || color.range == GST_VIDEO_COLOR_RANGE_0_255;
    FrameFormat format{.pixel_format = sent.pixel, .width = width, .height = height, .opaque = sent.opaque};
    format.color = {.matrix = *matrix,
                    .range = is_full ? ColorRange::full : ColorRange::limited,
                    .primaries = static_cast<uint8_t>(gst_video_color_primaries_to_iso(color.primaries)),
                    .transfer = static_cast<uint8_t>(gst_video_transfer_function_to_iso(color.transfer))};
    format.aspect = pixel_aspect(GST_VIDEO_INFO_PAR_N(&info), GST_VIDEO_INFO_PAR_D(&info)).value_or(PixelAspect{});
    return format;
  }
  return std::nullopt;
}

// YV12's components are in the order Y, U, V too; its planes are not.
int yv12_plane(GstVideoFormat format, int plane) {
  return format == GST_VIDEO_FORMAT_YV12 && plane > 0 ? 3 - plane : plane;
}

MutablePlanes mutable_planes(const FrameFormat& format, const GstVideoFrame& frame) {
  MutablePlanes planes;
  for (int p = 0; p < plane_count(format.pixel_format); ++p) {
    const int plane = yv12_plane(GST_VIDEO_FRAME_FORMAT(&frame), p);
    planes[static_cast<size_t>(p)] = {.data = static_cast<std::byte*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane)),
                                      .stride_bytes = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane)};
  }
  return planes;
}

FrameView frame_view(const FrameFormat& format, const GstVideoFrame& frame) {
  FrameView view{.format = format};
  const MutablePlanes planes = mutable_planes(format, frame);
  for (size_t p = 0; p < planes.size(); ++p) view.planes[p] = {planes[p].data, planes[p].stride_bytes};
  return view;
}

std::optional<FrameFormat> picture_format(const GstVideoInfo& info, TextureFormat from) {
  const auto format = frame_format(info);
  if (!format || !is_picture_format(format->pixel_format)) return std::nullopt;
  if (plane_coding(from, 0).sample_type != SampleType::unorm8) return std::nullopt;
  if (has_alpha(*format) && channel_count(from) == 4) return std::nullopt;
  const bool is_centred = (info.chroma_site & ~static_cast<guint>(GST_VIDEO_CHROMA_SITE_NONE)) == 0;
  if (!is_rgb(format->pixel_format) && !is_centred) return std::nullopt;
  return format;
}

GstCaps* with_chroma_site(GstCaps* caps) {
  GstVideoInfo info;
  if (gst_structure_has_field(gst_caps_get_structure(caps, 0), "chroma-site") ||
      !gst_video_info_from_caps(&info, caps) || GST_VIDEO_FORMAT_INFO_W_SUB(info.finfo, 1) == 0)
    return caps;
  caps = gst_caps_make_writable(caps);
  gst_caps_set_simple(caps, "chroma-site", G_TYPE_STRING, "jpeg", nullptr);
  return caps;
}

Rate rate_of(double fps) {
  if (!std::isfinite(fps) || fps <= 0 || fps > kHighestRate) return {};
  Rate rate;
  gst_util_double_to_fraction(fps, &rate.num, &rate.den);
  if (rate.num <= 0 || rate.den <= 0) return {};
  return rate;
}

}  // namespace texcast::gstreamer
