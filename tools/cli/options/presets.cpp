#include "cli/presets.h"

#include <fmt/core.h>

#include <vector>

#include "text/nearest.h"

namespace texcast::cli {

Result<Purpose> parse_purpose(std::string_view text) {
  if (const Preset* preset = stream::find_preset(text)) return preset->purpose;
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return Failure{
      fmt::format("unknown purpose '{}'; choose one of {}{}", text, stream::preset_names(), did_you_mean(text, names))};
}

}  // namespace texcast::cli
