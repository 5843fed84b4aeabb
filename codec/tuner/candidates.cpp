#include <fmt/core.h>

#include <algorithm>

#include "tuner/tuning.h"

namespace texcast::tuner {
namespace {

using stages::Form;
using stages::SourceMemory;

std::vector<Tuning> wide(std::initializer_list<int> group_sizes, SourceMemory memory) {
  std::vector<Tuning> list;
  for (const int size : group_sizes) list.push_back({Form::wide, memory, size});
  return list;
}

std::vector<Tuning> group(std::initializer_list<int> blocks_per_group, SourceMemory memory) {
  std::vector<Tuning> list;
  for (const int blocks : blocks_per_group)
    list.push_back({.form = Form::group, .source_memory = memory, .blocks_per_group = blocks});
  return list;
}

// Most promising first, because the budget may end before the list does.
std::vector<Tuning> in_order(bool gpu, bool has_row16, Extent extent) {
  const Tuning row16{.form = Form::row16};
  std::vector<Tuning> list;
  const auto add = [&](const std::vector<Tuning>& more) { list.insert(list.end(), more.begin(), more.end()); };
  if (!gpu) add({row16});
  // Crossing lanes of a CPU's vectors is expensive, and its images are functions that are called for every texel: only
  // 16 blocks an item are fast.
  if (gpu || !has_row16 || extent == Extent::all) add(wide({64, 128, 32, 256}, SourceMemory::buffer));
  if (gpu || extent == Extent::all) {
    add(wide({64, 128}, SourceMemory::image));
    add(group({8, 4, 16, 2}, SourceMemory::buffer));
  }
  if (extent == Extent::all) {
    add(wide({32, 256}, SourceMemory::image));
    add(group({1, 6, 10, 12}, SourceMemory::buffer));
    add(group({1, 2, 4, 6, 8, 10, 12, 16}, SourceMemory::image));
    if (gpu) add({row16});
  }
  return list;
}

bool fits(const DeviceInfo& device, const Tuning& tuning) {
  if (tuning.source_memory == SourceMemory::image && !device.has_images) return false;
  const int items = tuning.form == Form::wide    ? tuning.group_size
                    : tuning.form == Form::group ? 16 * tuning.blocks_per_group
                                                 : 1;
  return static_cast<uint64_t>(items) <= device.max_group_size;
}

}  // namespace

std::string_view name(Form form) {
  constexpr std::string_view kNames[] = {"wide", "group", "row16"};
  return kNames[static_cast<size_t>(form)];
}

std::string_view name(SourceMemory memory) { return memory == SourceMemory::image ? "image" : "buffer"; }

Tuning tuning_of(const stages::StageSettings& settings) {
  return {settings.form, settings.source_memory, settings.group_size, settings.blocks_per_group};
}

stages::StageSettings with(stages::StageSettings settings, const Tuning& tuning) {
  settings.form = tuning.form;
  settings.source_memory = tuning.source_memory;
  settings.group_size = tuning.group_size;
  settings.blocks_per_group = tuning.blocks_per_group;
  return settings;
}

std::string describe(const Tuning& tuning) {
  const std::string memory = tuning.source_memory == SourceMemory::image ? ", from an image" : "";
  switch (tuning.form) {
    case Form::wide: return fmt::format("one item a block, groups of {}{}", tuning.group_size, memory);
    case Form::group: return fmt::format("16 items a block, {} blocks a group{}", tuning.blocks_per_group, memory);
    case Form::row16: return fmt::format("16 blocks an item{}", memory);
  }
  return "";
}

std::vector<Tuning> candidates(const ocl::Device& device, const stages::StageSettings& settings, Extent extent) {
  const DeviceInfo& info = device.info();
  const bool has_row16 = stages::has_form(with(settings, {.form = Form::row16}));
  Tuning first;
  first.form = stages::best_form(device, settings);
  if (first.form == Form::wide) first.group_size = stages::usual_group_size(device, with(settings, first));
  std::vector<Tuning> list = {first};
  for (const Tuning& tuning : in_order(info.is_gpu, has_row16, extent))
    if (tuning != first && fits(info, tuning) && stages::has_form(with(settings, tuning))) list.push_back(tuning);
  return list;
}

}  // namespace texcast::tuner
