// stream_preset.h — the presets of streams by the receiver, content or network that they are for, as `texcast send
// --for`.
//
// Example: the desktop preset, with one setting of the program's own.
//     texcast::StreamSenderSettings sender{.destinations = {url}};
//     texcast::EncoderSettings encoder{.source = format};
//     texcast::apply_preset("desktop", sender, encoder);
//     sender.crf = 16;
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "texcast/encoder.h"
#include "texcast/export.h"
#include "texcast/stream_sender.h"

namespace texcast {

struct StreamPreset {
  std::string name{};  // "desktop"
  std::string what{};  // "sharp text when static"
};
// All of them. Thread-safe.
TEXCAST_API std::vector<StreamPreset> stream_presets();

// Sets StreamSenderSettings::compact, crf, bitrate, least_bitrate, fec and retransmit to the preset's values, and
// EncoderSettings::texture if the preset has a format. Set them afterwards to override it. `encoder`.source must be set
// already for "ultragrid", whose FEC depends on the size. Throws Error{usage} for an unknown name, with those that
// there are. Thread-safe.
TEXCAST_API void apply_preset(std::string_view name, StreamSenderSettings& sender, EncoderSettings& encoder);

}  // namespace texcast
