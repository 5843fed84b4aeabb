#include "driver_variables.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace texcast::ocl {
namespace {

constexpr std::array kDrivers = {
    WithoutCache{kPoclPlatform, "POCL_KERNEL_CACHE", "0"},
    WithoutCache{"NVIDIA", "CUDA_CACHE_DISABLE", "1"},
    WithoutCache{"Intel", "NEO_CACHE_PERSISTENT", "0"},
    WithoutCache{"AMD", "AMD_COMGR_CACHE", "0"},
    WithoutCache{"rusticl", "MESA_SHADER_CACHE_DISABLE", "true"},
    WithoutCache{"Clover", "MESA_SHADER_CACHE_DISABLE", "true"},
};

}  // namespace

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

const WithoutCache* without_cache(const std::string& platform) {
  const auto found =
      std::ranges::find_if(kDrivers, [&](const WithoutCache& row) { return platform.starts_with(row.platform); });
  return found == kDrivers.end() ? nullptr : &*found;
}

std::string pocl_settings() {
  std::vector<std::string> settings;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one)
    if (const std::string_view text = *one; text.starts_with("POCL_") && !text.starts_with(kPoclFolder))
      settings.emplace_back(text);
  std::ranges::sort(settings);
  std::string all;
  for (const std::string& setting : settings) all += setting + "\n";
  return all;
}

}  // namespace texcast::ocl
