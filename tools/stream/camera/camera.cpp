#include "stream/camera.h"

namespace texcast::stream {

std::optional<CameraOffer> camera_size(int width, int height, double fps) {
  if (width < 4 || height < 2) return std::nullopt;
  return CameraOffer{.width = width / 4 * 4, .height = height / 2 * 2, .fps = fps};
}

FrameFormat camera_picture(const CameraOffer& offer, PixelFormat format) {
  constexpr int kMostLinesOf601 = 576;
  constexpr uint8_t kBt709 = 1;  // H.273
  const ColorSpec video{.matrix = offer.height > kMostLinesOf601 ? ColorMatrix::bt709 : ColorMatrix::bt601,
                        .range = ColorRange::limited,
                        .primaries = kBt709,
                        .transfer = kBt709};
  return {.pixel_format = format,
          .width = offer.width,
          .height = offer.height,
          .color = is_rgb(format) ? kFullRange : video,
          .opaque = true};
}

std::vector<PixelFormat> camera_pixel_formats(const CameraOffer& offer) {
  std::vector<PixelFormat> formats{PixelFormat::nv12, PixelFormat::yuyv422};
  if (offer.width % 8 == 0) formats.push_back(PixelFormat::yuv420p);
  formats.push_back(PixelFormat::bgra);
  return formats;
}

}  // namespace texcast::stream
