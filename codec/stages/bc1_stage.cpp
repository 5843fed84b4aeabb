#include "base/ensure.h"
#include "kernel_stage.h"

namespace texcast::stages {

KernelPlan plan_bc1(const StageSettings& settings) {
  const TextureLayout layout = texture_layout(settings.texture, settings.source.width, settings.source.height);
  const size_t blocks = layout.total_bytes / 8;
  const bool range = settings.quality == Quality::fast;
  KernelPlan plan;
  plan.files = {"shared_layout.h", "load.cl", "lanes.cl", "bc1_palette.cl"};
  if (settings.form == Form::wide) {
    plan.files.push_back(range ? "bc1_range.cl" : "bc1_lspiro.cl");
    plan.kernel = range ? "bc1_range" : "bc1_lspiro1";
    plan.group_items = static_cast<size_t>(settings.group_size);
    plan.global_items = round_up(blocks, plan.group_items);
  } else {
    ENSURE(settings.blocks_per_group >= 1 && settings.blocks_per_group <= 16);
    const auto per_group = static_cast<size_t>(settings.blocks_per_group);
    plan.files.push_back("bc1_group.cl");
    plan.kernel = range ? "bc1_range_group" : "bc1_lspiro1_group";
    plan.defines = " -DBLOCKS_PER_GROUP=" + std::to_string(settings.blocks_per_group);
    plan.group_items = 16 * per_group;
    plan.global_items = 16 * round_up(blocks, per_group);
  }
  return plan;
}

}  // namespace texcast::stages
