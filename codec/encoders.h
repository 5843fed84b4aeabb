// encoders.h — the two encoders behind make_encoder.
#pragma once

#include <memory>

#include "texcast/encoder.h"

namespace texcast {

std::unique_ptr<Encoder> make_ocl_encoder(const EncoderSettings& settings, const DeviceInfo& device);
// Works inside submit(); one frame at a time on the calling thread.
std::unique_ptr<Encoder> make_reference_encoder(const EncoderSettings& settings);

// The one asked for, or the quality's.
inline Method method_of(const EncoderSettings& settings) {
  return settings.method ? *settings.method : method_for(settings.texture, settings.quality);
}

// The texture that `settings` make of their source.
TextureDesc texture_desc(const EncoderSettings& settings);

}  // namespace texcast
