#include "stream/mip_encoder.h"

#include "base/ensure.h"
#include "texcast/decoder.h"

namespace texcast::stream {
namespace {

// For smaller levels the reference encoder is faster than a device, whose kernel must be built first. The bytes are the
// same.
constexpr int kFewTexels = 64 * 64;

// The pixels of a level, with the precision that the format's encoder reads.
struct LevelPixels {
  PixelFormat format;
  int channels;  // that are filtered
  SampleType samples;
};
LevelPixels pixels_of(TextureFormat format) {
  const int channels = channel_count(format);
  const SampleType samples = plane_coding(format, 0).sample_type;
  if (samples == SampleType::half) return {PixelFormat::rgba_half, 4, samples};
  if (channels == 1 && samples == SampleType::unorm16) return {PixelFormat::gray16, 1, samples};
  const PixelFormat bytes = channels == 1 ? PixelFormat::gray : channels == 4 ? PixelFormat::rgba : PixelFormat::rgb24;
  return {bytes, channels, SampleType::unorm8};
}

// Colours are filtered in linear light, by the sRGB curve, which is close enough for video's curves. One or two
// channels are taken for data, not colour. Half floats that are encoded as 8 bits have the sRGB curve by then.
MipCurve curve_of(TextureFormat format, const FrameFormat& source) {
  if (channel_count(format) < 3) return MipCurve::linear;
  if (source.pixel_format == PixelFormat::rgba_half)
    return plane_coding(format, 0).sample_type == SampleType::half ? MipCurve::linear : MipCurve::srgb;
  return source.color.transfer == kLinearTransfer ? MipCurve::linear : MipCurve::srgb;
}

// Adds a third channel of zeros, as every pixel format has at least three.
void add_blue(DecodedImage& image) {
  if (image.channels != 2) return;
  const std::vector<uint8_t> pairs = image.pixels;
  image.resize(image.width, image.height, 3);
  for (size_t i = 0; i < pairs.size() / 2; ++i) {
    image.pixels[3 * i] = pairs[2 * i];
    image.pixels[3 * i + 1] = pairs[2 * i + 1];
    image.pixels[3 * i + 2] = 0;
  }
}

}  // namespace

MipEncoder::MipEncoder(const EncoderSettings& settings, MipFilter filter)
    : filter_(filter), curve_(curve_of(settings.texture, settings.source)) {
  const FrameFormat& top = settings.source;
  const TextureDesc desc{.format = settings.texture, .width = top.width, .height = top.height};
  for (int n = 1; n < most_levels(top.width, top.height); ++n) {
    Level level{.desc = level_of(desc, n), .format = {}, .encoder = {}};
    level.format = {.pixel_format = pixels_of(settings.texture).format,
                    .width = level.desc.width,
                    .height = level.desc.height,
                    .color = {.matrix = top.color.matrix,
                              .range = ColorRange::full,
                              .primaries = top.color.primaries,
                              .transfer = top.color.transfer},
                    .opaque = channel_count(settings.texture) == 4 && !has_alpha(top)};
    EncoderSettings own = settings;
    own.source = level.format;
    own.frames_in_flight = 1;
    own.tune = TuneMode::off;
    own.start = EncoderStart::when_built;
    own.bands = 1;
    own.compare = false;
    if (level.format.width * level.format.height <= kFewTexels) own.device = "cpu-reference";
    level.encoder = make_encoder(own);
    levels_.push_back(std::move(level));
  }
}

MipLevels MipEncoder::encode(const FrameView& picture) {
  MipLevels made;
  if (levels_.empty()) return made;
  const LevelPixels pixels = pixels_of(levels_[0].desc.format);
  convert_to_channels(picture, pixels.channels, source_, pixels.samples);
  made.blocks.reserve(levels_.size());
  for (const Level& level : levels_) {
    shrink(source_, filter_, curve_, level.format.width, level.format.height, shrunk_);
    add_blue(shrunk_);
    const int row_bytes = plane_row_bytes(level.format, 0);
    ENSURE(shrunk_.pixels.size() == static_cast<size_t>(row_bytes) * static_cast<size_t>(level.format.height));
    FrameView frame{.format = level.format, .planes = {}};
    frame.planes[0] = {reinterpret_cast<const std::byte*>(shrunk_.pixels.data()), row_bytes};
    level.encoder->submit(frame, {});
    const EncodedFrame encoded = level.encoder->next();
    made.blocks.emplace_back(encoded.texture.blocks.begin(), encoded.texture.blocks.end());
    made.views.push_back({level.desc, made.blocks.back()});
  }
  return made;
}

}  // namespace texcast::stream
