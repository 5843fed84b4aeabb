// encoders.h — the two encoders behind make_encoder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "texcast/encoder.h"

namespace texcast {

// One for each device, all with the same frame_pool(): pinned by the first that has memory of its own.
std::vector<std::unique_ptr<Encoder>> make_ocl_encoders(const EncoderSettings& settings,
                                                        const std::vector<DeviceInfo>& devices);
// Works inside submit(); one frame at a time on the calling thread.
std::unique_ptr<Encoder> make_reference_encoder(const EncoderSettings& settings);
// Deals frames to the encoders in turn and takes them back in the same order. `names` for messages, one an encoder.
std::unique_ptr<Encoder> make_dealing_encoder(std::vector<std::unique_ptr<Encoder>> encoders,
                                              std::vector<std::string> names);

// The one asked for, or the quality's.
inline Method method_of(const EncoderSettings& settings) {
  return settings.method ? *settings.method : method_for(settings.texture, settings.quality);
}

// The texture that `settings` make of their source.
TextureDesc texture_desc(const EncoderSettings& settings);

}  // namespace texcast
