#include "cli/presets.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/ensure.h"

namespace texcast::cli {
namespace {

// Planes of 4:4:4, as coloured text is unreadable with less. 20: what moves is hard to tell from the screen, and what
// stands gets as good as it in four frames.
// Wi-Fi loses packets in bursts, which more parity mends, and has a rate of its own from second to second.
constexpr std::array kPresets{
    Preset{.purpose = Purpose::texcast, .name = "texcast", .what = "without loss, bc1"},
    Preset{.purpose = Purpose::ultragrid, .name = "ultragrid", .what = "plain, with its own parity"},
    Preset{.purpose = Purpose::desktop,
           .name = "desktop",
           .what = "sharp when it stands",
           .format = TextureFormat::ycocg_bc4_444,
           .lossy = {.crf = 20}},
    Preset{.purpose = Purpose::film,
           .name = "film",
           .what = "few bits",
           .format = TextureFormat::ycocg_bc4_420,
           .lossy = {.crf = 23}},
    Preset{.purpose = Purpose::lan, .name = "lan", .what = "without loss"},
    Preset{.purpose = Purpose::wifi,
           .name = "wifi",
           .what = "4 to 30 Mbit/s, as it takes",
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
  for (const Preset& preset : kPresets)
    if (text == preset.name) return preset.purpose;
  return Failure{fmt::format("nothing is known of a stream for '{}'; there are {}", text, list_purposes())};
}

std::string list_purposes() {
  std::string list;
  for (const Preset& preset : kPresets) list.append(list.empty() ? "" : ", ").append(preset.name);
  return list;
}

}  // namespace texcast::cli
