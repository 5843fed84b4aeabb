#include "kernel_stage.h"

namespace texcast::stages {

KernelPlan plan_ycocg_dxt5(const StageSettings& settings) {
  const PlaneLayout plane = texture_layout(settings.texture, settings.source.width, settings.source.height).planes[0];
  KernelPlan plan;
  plan.file = "ycocg/dxt5.cl";
  plan.kernel = "ycocg_dxt5";
  plan.defines = method_define(settings.method);
  plan.group_items = static_cast<size_t>(settings.group_size);
  plan.global_items = round_up(plane.bytes / static_cast<size_t>(plane.block_bytes), plan.group_items);
  plan.rows = static_cast<size_t>(plane.blocks_y);
  plan.row_items = static_cast<size_t>(plane.blocks_x);
  return plan;
}

}  // namespace texcast::stages
