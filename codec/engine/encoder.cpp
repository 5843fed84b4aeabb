#include "texcast/encoder.h"

#include <utility>

#include "base/misuse.h"
#include "encoders.h"
#include "frames/require_frame.h"
#include "preconditions.h"
#include "texcast/error.h"

namespace texcast {

TextureDesc texture_desc(const EncoderSettings& settings) {
  TextureDesc desc{.format = settings.texture,
                   .width = settings.source.width,
                   .height = settings.source.height,
                   .color = settings.source.color,
                   .aspect = settings.source.aspect};
  desc.color.range = ColorRange::full;
  // 8-bit formats take linear light in sRGB's curve.
  if (settings.source.pixel_format == PixelFormat::rgba_half &&
      plane_coding(settings.texture, 0).sample_type != SampleType::half)
    desc.color.transfer = kSrgbTransfer;
  return desc;
}

void Encoder::warm_up() { require_idle(*this); }

EncodedFrame Encoder::peek() { misused("Encoder::peek", "no part of the oldest frame is ready"); }

std::unique_ptr<Encoder> make_encoder(const EncoderSettings& settings) {
  require_valid(settings.source, __func__);
  REQUIRE_USE(settings.frames_in_flight >= 1 && settings.frames_in_flight <= 16, "frames_in_flight must be 1 to 16");
  REQUIRE_USE(settings.bands == kBandsAuto || (settings.bands >= 1 && settings.bands <= 16),
              "bands must be 1 to 16, or kBandsAuto");
  if (const auto reason = why_not(settings.texture, settings.quality, settings.method, settings.options))
    throw Error(ErrorKind::usage, *reason);
  return make_on_devices(settings, choose_devices(settings.device));
}

}  // namespace texcast
