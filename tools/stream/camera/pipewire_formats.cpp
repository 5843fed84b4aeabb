#include "pipewire_formats.h"

#include <spa/buffer/meta.h>
#include <spa/param/buffers.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "frames/from_rgb.h"

namespace texcast::stream {
namespace {

constexpr std::pair<PixelFormat, spa_video_format> kSpaFormats[] = {
    {PixelFormat::nv12, SPA_VIDEO_FORMAT_NV12},
    {PixelFormat::yuyv422, SPA_VIDEO_FORMAT_YUY2},
    {PixelFormat::yuv420p, SPA_VIDEO_FORMAT_I420},
    {PixelFormat::bgra, SPA_VIDEO_FORMAT_BGRx},
};

spa_video_format spa_format(PixelFormat format) {
  const auto found = std::ranges::find(kSpaFormats, format, &std::pair<PixelFormat, spa_video_format>::first);
  return found == std::end(kSpaFormats) ? SPA_VIDEO_FORMAT_UNKNOWN : found->second;
}

// 59.94 is 60000/1001; a rate that is not known is 60.
spa_fraction fraction(double fps) {
  if (fps <= 0) return {60, 1};
  const double whole = std::round(fps), ntsc = whole * 1000 / 1001;
  if (std::abs(fps - ntsc) < std::abs(fps - whole) && std::abs(fps - ntsc) < 0.005)
    return {static_cast<uint32_t>(whole) * 1000, 1001};
  if (std::abs(fps - whole) < 0.005 && whole >= 1) return {static_cast<uint32_t>(whole), 1};
  return {static_cast<uint32_t>(std::lround(fps * 1000)), 1000};
}

double rate_of(const spa_fraction& fraction) {
  return fraction.num > 0 && fraction.denom > 0 ? static_cast<double>(fraction.num) / fraction.denom : 0;
}

// The stream's rate, which is the default, and the usual ones below it, as programs choose one of a list.
void add_rates(spa_pod_builder& builder, double fps) {
  const spa_fraction own = fraction(fps);
  spa_pod_frame choice;
  spa_pod_builder_prop(&builder, SPA_FORMAT_VIDEO_framerate, 0);
  spa_pod_builder_push_choice(&builder, &choice, SPA_CHOICE_Enum, 0);
  spa_pod_builder_fraction(&builder, own.num, own.denom);  // the default first, and then all
  spa_pod_builder_fraction(&builder, own.num, own.denom);
  for (const uint32_t rate : {60u, 30u, 15u})
    if (rate < rate_of(own) * 0.9) spa_pod_builder_fraction(&builder, rate, 1);
  spa_pod_builder_pop(&builder, &choice);
}

void add_color(spa_pod_builder& builder, const FrameFormat& picture) {
  if (is_rgb(picture.pixel_format)) return;
  const bool is_601 = picture.color.matrix == ColorMatrix::bt601;
  spa_pod_builder_add(&builder, SPA_FORMAT_VIDEO_colorRange, SPA_POD_Id(SPA_VIDEO_COLOR_RANGE_16_235),
                      SPA_FORMAT_VIDEO_colorMatrix,
                      SPA_POD_Id(is_601 ? SPA_VIDEO_COLOR_MATRIX_BT601 : SPA_VIDEO_COLOR_MATRIX_BT709),
                      SPA_FORMAT_VIDEO_transferFunction, SPA_POD_Id(SPA_VIDEO_TRANSFER_BT709),
                      SPA_FORMAT_VIDEO_colorPrimaries, SPA_POD_Id(SPA_VIDEO_COLOR_PRIMARIES_BT709), 0);
}

const spa_pod* offered_format(spa_pod_builder& builder, const CameraOffer& offer, PixelFormat format) {
  const FrameFormat picture = camera_picture(offer, format);
  const spa_rectangle size{static_cast<uint32_t>(picture.width), static_cast<uint32_t>(picture.height)};
  spa_pod_frame object;
  spa_pod_builder_push_object(&builder, &object, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat);
  spa_pod_builder_add(&builder, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video), SPA_FORMAT_mediaSubtype,
                      SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), SPA_FORMAT_VIDEO_format, SPA_POD_Id(spa_format(format)),
                      SPA_FORMAT_VIDEO_size, SPA_POD_Rectangle(&size), 0);
  add_rates(builder, offer.fps);
  add_color(builder, picture);
  return static_cast<const spa_pod*>(spa_pod_builder_pop(&builder, &object));
}

}  // namespace

std::vector<const spa_pod*> offered_formats(spa_pod_builder& builder, const CameraOffer& offer) {
  std::vector<const spa_pod*> offered;
  for (const PixelFormat format : camera_pixel_formats(offer))
    offered.push_back(offered_format(builder, offer, format));
  return offered;
}

std::optional<CameraFormat> negotiated_format(const spa_pod* format, const CameraOffer& offer) {
  spa_video_info_raw video{};
  if (spa_format_video_raw_parse(format, &video) < 0) return std::nullopt;
  const auto row = std::ranges::find(kSpaFormats, video.format, &std::pair<PixelFormat, spa_video_format>::second);
  if (row == std::end(kSpaFormats) || static_cast<int>(video.size.width) != offer.width ||
      static_cast<int>(video.size.height) != offer.height)
    return std::nullopt;
  return CameraFormat{.picture = camera_picture(offer, row->first), .fps = rate_of(video.framerate)};
}

std::vector<const spa_pod*> wanted_buffers(spa_pod_builder& builder, const CameraFormat& format) {
  const FramePlacement placed = place_tightly(format.picture);
  std::vector<const spa_pod*> params;
  params.push_back(static_cast<const spa_pod*>(spa_pod_builder_add_object(
      &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_buffers,
      SPA_POD_CHOICE_RANGE_Int(4, 2, 8), SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1), SPA_PARAM_BUFFERS_size,
      SPA_POD_Int(static_cast<int>(placed.bytes)), SPA_PARAM_BUFFERS_stride, SPA_POD_Int(placed.stride[0]),
      SPA_PARAM_BUFFERS_dataType, SPA_POD_CHOICE_FLAGS_Int(1 << SPA_DATA_MemFd | 1 << SPA_DATA_MemPtr))));
  params.push_back(static_cast<const spa_pod*>(spa_pod_builder_add_object(
      &builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type, SPA_POD_Id(SPA_META_Header),
      SPA_PARAM_META_size, SPA_POD_Int(sizeof(spa_meta_header)))));
  return params;
}

}  // namespace texcast::stream
