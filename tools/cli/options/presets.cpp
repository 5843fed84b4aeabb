#include "cli/presets.h"

#include <fmt/core.h>

#include <vector>

#include "text/nearest.h"

namespace texcast::cli {
Result<Purpose> parse_purpose(std::string_view text) {
  const std::string wanted = lower_case(text);
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    if (wanted == preset.name) return preset.purpose;
    names.emplace_back(preset.name);
  }
  return Failure{
      fmt::format("unknown purpose '{}'; choose one of {}{}", text, list_purposes(), did_you_mean(text, names))};
}

std::string list_purposes() {
  std::string list;
  for (const Preset& preset : presets()) list.append(list.empty() ? "" : ", ").append(preset.name);
  return list;
}

}  // namespace texcast::cli
