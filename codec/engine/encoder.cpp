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

namespace {

std::vector<std::unique_ptr<Encoder>> make_encoders(const EncoderSettings& settings,
                                                    const std::vector<DeviceChoice>& choices) {
  std::vector<DeviceInfo> devices;
  for (const DeviceChoice& choice : choices)
    if (!choice.cpu_reference) devices.push_back(choice.device);
  auto encoders = make_ocl_encoders(settings, devices);
  for (size_t i = 0; i < choices.size(); ++i)
    if (choices[i].cpu_reference)
      encoders.insert(encoders.begin() + static_cast<std::ptrdiff_t>(i), make_reference_encoder(settings));
  return encoders;
}

}  // namespace

std::unique_ptr<Encoder> make_encoder(const EncoderSettings& settings) {
  ENSURE(settings.source.width >= 1 && settings.source.width <= kMaxFrameSize);
  ENSURE(settings.source.height >= 1 && settings.source.height <= kMaxFrameSize);
  ENSURE(settings.frames_in_flight >= 1 && settings.frames_in_flight <= 16);
  ENSURE(settings.bands == kBandsAuto || (settings.bands >= 1 && settings.bands <= 16));
  if (const auto reason = why_not(settings.texture, settings.quality, settings.method, settings.options))
    throw Error(ErrorKind::usage, *reason);
  const auto choices = choose_devices(settings.device);
  auto encoders = make_encoders(settings, choices);
  if (encoders.size() == 1) return std::move(encoders.front());
  std::vector<std::string> names;
  for (const DeviceChoice& choice : choices)
    names.push_back(choice.cpu_reference ? "cpu-reference" : "device " + std::to_string(choice.device.index));
  return make_dealing_encoder(std::move(encoders), std::move(names));
}

}  // namespace texcast
