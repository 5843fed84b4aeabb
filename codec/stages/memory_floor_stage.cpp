#include "kernel_stage.h"

namespace texcast::stages {

KernelPlan plan_memory_floor(const StageSettings& settings) {
  const TextureLayout layout = texture_layout(TextureFormat::bc1, settings.source.width, settings.source.height);
  KernelPlan plan;
  plan.file = "common/memory_floor.cl";
  plan.kernel = "memory_floor";
  plan.group_items = static_cast<size_t>(settings.group_size);
  plan.global_items = round_up(layout.total_bytes / 8, plan.group_items);
  return plan;
}

}  // namespace texcast::stages
