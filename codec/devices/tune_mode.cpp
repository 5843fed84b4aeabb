#include <algorithm>
#include <cstdlib>

#include "texcast/error.h"
#include "texcast/tune.h"

namespace texcast {
namespace {

constexpr std::array<std::string_view, kTuneModes.size()> kNames = {"off", "auto", "again"};

}  // namespace

std::string_view name(TuneMode mode) { return kNames[static_cast<size_t>(mode)]; }

std::optional<TuneMode> tune_mode_from_name(std::string_view wanted) {
  const auto found = std::find(kNames.begin(), kNames.end(), wanted);
  if (found == kNames.end()) return std::nullopt;
  return kTuneModes[static_cast<size_t>(found - kNames.begin())];
}

std::string list_tune_modes() { return "off, auto, again"; }

TuneMode default_tune_mode() {
  const char* value = std::getenv("TEXCAST_TUNE");
  if (value == nullptr || *value == '\0') return TuneMode::automatic;
  if (const auto mode = tune_mode_from_name(value)) return *mode;
  throw Error(ErrorKind::usage, "TEXCAST_TUNE is '" + std::string(value) + "'; it must be one of " + list_tune_modes());
}

}  // namespace texcast
