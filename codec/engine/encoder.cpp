#include "texcast/encoder.h"

#include <utility>

#include "base/ensure.h"
#include "encoders.h"
#include "texcast/error.h"

namespace texcast {

TextureDesc texture_desc(const EncoderSettings& settings) {
  TextureDesc desc{.format = settings.texture,
                   .width = settings.source.width,
                   .height = settings.source.height,
                   .color = settings.source.color,
                   .aspect = settings.source.aspect};
  desc.color.range = ColorRange::full;
  return desc;
}

EncodedFrame Encoder::peek() {
  ENSURE(!"an encoder whose ready_bytes() are more than none");
  return {};
}

std::unique_ptr<Encoder> make_encoder(const EncoderSettings& settings) {
  ENSURE(settings.source.width >= 1 && settings.source.width <= kMaxFrameSize);
  ENSURE(settings.source.height >= 1 && settings.source.height <= kMaxFrameSize);
  ENSURE(settings.frames_in_flight >= 1 && settings.frames_in_flight <= 16);
  ENSURE(settings.bands == kBandsAuto || (settings.bands >= 1 && settings.bands <= 16));
  if (const auto reason = why_not(settings.texture, settings.quality, settings.method, settings.options))
    throw Error(ErrorKind::usage, *reason);
  return make_on_devices(settings, choose_devices(settings.device));
}

}  // namespace texcast
