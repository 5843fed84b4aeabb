// tuning_cache.cpp — remembered() and remember() of tuner/tune.h.
#include <fmt/core.h>

#include <algorithm>

#include "ocl/cache.h"
#include "tuner/tune.h"

namespace texcast::tuner {
namespace {

constexpr size_t kLargestFile = 64 << 10;

// One line of a file, one variant.
std::string code(const Tuning& tuning) {
  return fmt::format("form {} source {} group_size {} blocks_per_group {}", name(tuning.form),
                     name(tuning.source_memory), tuning.group_size, tuning.blocks_per_group);
}

// Everything that the fastest variant depends on, as text. The file begins with it.
std::string key_of(const ocl::Device& device, const stages::StageSettings& settings) {
  const FrameFormat& source = settings.source;
  std::string key =
      fmt::format("texcast tuning 1\n{}kernels {}\n{} {}{}\nsource {} {} {}x{}\n", ocl::device_key(device.info()),
                  ocl::kernel_sources_hash(), name(settings.texture), name(settings.method),
                  settings.options.allow_black ? " with black" : "", name(source.pixel_format),
                  source.color.range == ColorRange::full ? "full" : "limited", source.width, source.height);
  const MethodOptions& options = settings.options;
  if (has_option(settings.texture, settings.method, MethodOption::passes))
    key += fmt::format("passes {} radius {}\n", options.passes_or_usual(), options.radius_or_usual());
  // The list of variants is part of the key, as one that is new in this version was never timed.
  for (const Tuning& tuning : candidates(device, settings, Extent::all)) key += "has " + code(tuning) + "\n";
  return key;
}

std::string file_of(const std::string& key) { return ocl::content_hash(key).substr(0, 32) + ".tuning"; }

}  // namespace

std::optional<Tuning> remembered(const ocl::Device& device, const stages::StageSettings& settings) {
  const std::string key = key_of(device, settings);
  const auto file = ocl::read_cache_file(file_of(key), kLargestFile);
  if (!file) return std::nullopt;
  for (const Tuning& tuning : candidates(device, settings, Extent::all))
    if (*file == key + code(tuning) + "\n") return tuning;
  return std::nullopt;
}

void remember(const ocl::Device& device, const stages::StageSettings& settings, const Tuning& winner) {
  const std::string key = key_of(device, settings);
  ocl::write_cache_file(file_of(key), key + code(winner) + "\n");
}

}  // namespace texcast::tuner
