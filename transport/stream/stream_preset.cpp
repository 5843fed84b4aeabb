#include "texcast/stream_preset.h"

#include <algorithm>
#include <array>

#include "base/ensure.h"
#include "stream/preset.h"
#include "texcast/error.h"

namespace texcast {
namespace stream {
namespace {

// desktop: 4:4:4, because coloured text is unreadable with subsampled chroma. At crf 20 moving areas are hard to tell
// from the screen, and static ones are as good as it after four frames.
// wifi: packets are lost in bursts, which needs more parity, and the available bandwidth changes from second to second.
constexpr std::array kPresets{
    Preset{.purpose = Purpose::texcast, .name = "texcast", .what = "lossless, bc1"},
    Preset{.purpose = Purpose::ultragrid, .name = "ultragrid", .what = "raw stream with UltraGrid's FEC"},
    Preset{.purpose = Purpose::desktop,
           .name = "desktop",
           .what = "sharp text when static",
           .format = TextureFormat::ycocg_bc4_444,
           .crf = 20},
    Preset{.purpose = Purpose::film,
           .name = "film",
           .what = "low bit rate",
           .format = TextureFormat::ycocg_bc4_420,
           .crf = 23},
    Preset{.purpose = Purpose::lan, .name = "lan", .what = "lossless"},
    Preset{.purpose = Purpose::wifi,
           .name = "wifi",
           .what = "4 to 30 Mbit/s, as bandwidth allows",
           .format = TextureFormat::ycocg_bc4_420,
           .bitrate = Bitrate{.least = 4e6, .most = 30e6},
           .parity_percent = 25}};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return lower;
}

}  // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset& preset_of(Purpose purpose) {
  const auto* const row = std::ranges::find(kPresets, purpose, &Preset::purpose);
  ENSURE(row != kPresets.end());
  return *row;
}

const Preset* find_preset(std::string_view name) {
  const std::string wanted = lower_case(name);
  const auto* const row = std::ranges::find_if(kPresets, [&](const Preset& one) { return one.name == wanted; });
  return row != kPresets.end() ? row : nullptr;
}

std::string preset_names() {
  std::string names;
  for (const Preset& preset : kPresets) names.append(names.empty() ? "" : ", ").append(preset.name);
  return names;
}

std::string ultragrid_fec(int width, int height) {
  return width % 4 == 0 && height % 4 == 0 ? "ultragrid-rs:200:240" : "none";
}

}  // namespace stream

std::vector<StreamPreset> stream_presets() {
  std::vector<StreamPreset> all;
  for (const stream::Preset& preset : stream::presets()) all.push_back({.name = preset.name, .what = preset.what});
  return all;
}

void apply_preset(std::string_view name, StreamSenderSettings& sender, EncoderSettings& encoder) {
  const stream::Preset* const found = stream::find_preset(name);
  if (!found)
    throw Error(ErrorKind::usage,
                "unknown preset '" + std::string(name) + "'; choose one of " + stream::preset_names());
  const stream::Preset& preset = *found;
  const bool is_ultragrid = preset.purpose == stream::Purpose::ultragrid;
  const stream::Bitrate bitrate = preset.bitrate.value_or(stream::Bitrate{});
  if (preset.format) encoder.texture = *preset.format;
  sender.compact = !is_ultragrid;
  sender.crf = preset.crf;
  sender.bitrate = bitrate.most;
  sender.least_bitrate = bitrate.least;
  sender.fec = is_ultragrid            ? stream::ultragrid_fec(encoder.source.width, encoder.source.height)
               : preset.parity_percent ? std::to_string(*preset.parity_percent) + "%"
                                       : "auto";
  sender.retransmit = !is_ultragrid;
}

}  // namespace texcast
