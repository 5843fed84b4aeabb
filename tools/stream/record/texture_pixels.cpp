#include "texture_pixels.h"

#include "stream/mip_encoder.h"
#include "texcast/error.h"

namespace texcast::stream {
namespace {

// Colours are filtered in linear light, by the sRGB curve, which is close enough for video's curves. One or two
// channels are taken for data, not colour. Half floats that are encoded as 8 bits have the sRGB curve by then.
MipCurve curve_of(TextureFormat format, const FrameFormat& source) {
  if (channel_count(format) < 3) return MipCurve::linear;
  if (source.pixel_format == PixelFormat::rgba_half)
    return plane_coding(format, 0).sample_type == SampleType::half ? MipCurve::linear : MipCurve::srgb;
  return source.color.transfer == kLinearTransfer ? MipCurve::linear : MipCurve::srgb;
}

}  // namespace

TexturePixels pixels_of(TextureFormat format) {
  const int channels = channel_count(format);
  const SampleType samples = plane_coding(format, 0).sample_type;
  if (samples == SampleType::half) return {PixelFormat::rgba_half, 4, 4, samples};
  if (channels == 1 && samples == SampleType::unorm16) return {PixelFormat::gray16, 1, 1, samples};
  if (channels == 1) return {PixelFormat::gray, 1, 1, SampleType::unorm8};
  if (channels == 4) return {PixelFormat::rgba, 4, 4, SampleType::unorm8};
  return {PixelFormat::rgb24, channels, 3, SampleType::unorm8};
}

FrameFormat filtered_format(TextureFormat texture, const FrameFormat& source, int width, int height) {
  return {.pixel_format = pixels_of(texture).format,
          .width = width,
          .height = height,
          .color = {.matrix = source.color.matrix,
                    .range = ColorRange::full,
                    .primaries = source.color.primaries,
                    .transfer = source.color.transfer},
          .opaque = channel_count(texture) == 4 && !has_alpha(source)};
}

MipRules mip_rules(const MipSettings& settings, TextureFormat texture, const FrameFormat& source) {
  const int channels = pixels_of(texture).channels;
  if (settings.normals && channels < 2)
    throw Error(ErrorKind::usage, "a map of normals needs a format with two channels or more, for example bc5");
  const bool has_opacity = channels == 4 && has_alpha(source) && !settings.separate_alpha;
  return {.filter = settings.filter,
          .curve = curve_of(texture, source),
          .content = settings.normals ? MipContent::normals
                     : has_opacity    ? MipContent::transparency
                                      : MipContent::channels};
}

}  // namespace texcast::stream
