// tuning.h — a variant of a kernel: its form and the parameters of that. All give the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/stage.h"
#include "texcast/device.h"

namespace texcast::tuner {

struct Tuning {
  stages::Form form = stages::Form::wide;
  stages::SourceMemory source_memory = stages::SourceMemory::buffer;
  int group_size = 64;       // Form::wide
  int blocks_per_group = 8;  // Form::group
  bool operator==(const Tuning&) const = default;
};

Tuning tuning_of(const stages::StageSettings& settings);
stages::StageSettings with(stages::StageSettings settings, const Tuning& tuning);
std::string_view name(stages::Form form);            // "wide", "group", "row16"
std::string_view name(stages::SourceMemory memory);  // "buffer", "image"
// "one item a block, groups of 64", "16 items a block, 8 blocks a group, from an image"
std::string describe(const Tuning& tuning);

enum class Extent {
  likely,  // those that may win on such a device; few, because compiling each may take a second
  all,
};
// The variants that the settings' method has for their source on the device, the likely winner (stages::best_form,
// stages::usual_group_size) first. Never empty.
std::vector<Tuning> candidates(const ocl::Device& device, const stages::StageSettings& settings, Extent extent);

}  // namespace texcast::tuner
