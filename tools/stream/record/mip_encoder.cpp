#include "stream/mip_encoder.h"

#include "base/ensure.h"
#include "texcast/decoder.h"

namespace texcast::stream {
namespace {

// A device needs longer for a frame that small than the reference does, which gives the same bytes, and has a kernel to
// be built first.
constexpr int kFewTexels = 64 * 64;

constexpr uint8_t kH273Linear = 8;

PixelFormat pixels_of(int channels) {
  switch (channels) {
    case 1: return PixelFormat::gray;
    case 4: return PixelFormat::rgba;
    default: return PixelFormat::rgb24;
  }
}

// Colours are linear light behind sRGB's curve, near enough for video's too; what stands alone, or in two channels, is
// data.
MipCurve curve_of(TextureFormat format, const ColorSpec& color) {
  const bool is_color = channel_count(format) >= 3 && plane_coding(format, 0).sample_type != SampleType::half;
  return is_color && color.transfer != kH273Linear ? MipCurve::srgb : MipCurve::linear;
}

// A third channel of zeros, which no pixel format is without.
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
    : filter_(filter), curve_(curve_of(settings.texture, settings.source.color)) {
  const FrameFormat& top = settings.source;
  const TextureDesc desc{.format = settings.texture, .width = top.width, .height = top.height};
  for (int n = 1; n < most_levels(top.width, top.height); ++n) {
    Level level{.desc = level_of(desc, n), .format = {}, .encoder = {}};
    level.format = {.pixel_format = pixels_of(channel_count(settings.texture)),
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
  convert_to_channels(picture, channel_count(levels_.empty() ? TextureFormat::bc1 : levels_[0].desc.format), source_);
  MipLevels made;
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
