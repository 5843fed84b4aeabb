// transcoders.h — the two transcoders that make_transcoder() creates.
#pragma once

#include <memory>

#include "texcast/transcoder.h"

namespace texcast {

std::unique_ptr<Transcoder> make_ocl_transcoder(const TranscoderSettings& settings, const DeviceInfo& device);
// Works inside submit().
std::unique_ptr<Transcoder> make_reference_transcoder(const TranscoderSettings& settings);

inline TextureDesc texture_desc(const TranscoderSettings& settings) {
  TextureDesc desc = settings.from;
  desc.format = settings.to;
  return desc;
}

}  // namespace texcast
