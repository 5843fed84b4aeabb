#include "base/ensure.h"
#include "kernel_stage.h"

namespace texcast::stages {

KernelPlan plan_ycocg_bc4(const StageSettings& settings) {
  const TextureLayout layout = texture_layout(settings.texture, settings.source.width, settings.source.height);
  const int across = settings.texture == TextureFormat::ycocg_bc4_444 ? 1 : 2;
  const int down = settings.texture == TextureFormat::ycocg_bc4_420 ? 2 : 1;
  KernelPlan plan;
  plan.file = "ycocg/bc4_planes.cl";
  plan.kernel = "ycocg_bc4";
  plan.defines = " -DCHROMA_ACROSS=" + std::to_string(across) + " -DCHROMA_DOWN=" + std::to_string(down) +
                 method_define(settings.method);
  plan.group_items = static_cast<size_t>(settings.group_size);
  plan.global_items = round_up(layout.planes[1].bytes / 8, plan.group_items);
  plan.rows = static_cast<size_t>(layout.planes[1].blocks_y);
  plan.row_items = static_cast<size_t>(layout.planes[1].blocks_x);
  plan.planes = 3;
  return plan;
}

}  // namespace texcast::stages
