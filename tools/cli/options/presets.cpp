#include "cli/presets.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/ensure.h"
#include "text/nearest.h"

namespace texcast::cli {
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
           .lossy = {.crf = 20}},
    Preset{.purpose = Purpose::film,
           .name = "film",
           .what = "low bit rate",
           .format = TextureFormat::ycocg_bc4_420,
           .lossy = {.crf = 23}},
    Preset{.purpose = Purpose::lan, .name = "lan", .what = "lossless"},
    Preset{.purpose = Purpose::wifi,
           .name = "wifi",
           .what = "4 to 30 Mbit/s, as bandwidth allows",
           .format = TextureFormat::ycocg_bc4_420,
           .lossy = {.bitrate = RateRange{.least = 4e6, .most = 30e6}},
           .parity_percent = 25}};

}  // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset& preset_of(Purpose purpose) {
  const auto* const row = std::ranges::find(kPresets, purpose, &Preset::purpose);
  ENSURE(row != kPresets.end());
  return *row;
}

Result<Purpose> parse_purpose(std::string_view text) {
  const std::string wanted = lower_case(text);
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) {
    if (wanted == preset.name) return preset.purpose;
    names.emplace_back(preset.name);
  }
  return Failure{
      fmt::format("unknown purpose '{}'; choose one of {}{}", text, list_purposes(), did_you_mean(text, names))};
}

std::string list_purposes() {
  std::string list;
  for (const Preset& preset : kPresets) list.append(list.empty() ? "" : ", ").append(preset.name);
  return list;
}

}  // namespace texcast::cli
