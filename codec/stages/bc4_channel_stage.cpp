#include "kernel_stage.h"

namespace texcast::stages {

KernelPlan plan_bc4_channel(const StageSettings& settings, ChannelTarget target) {
  const PlaneLayout plane = texture_layout(settings.texture, settings.source.width, settings.source.height).planes[0];
  KernelPlan plan;
  plan.file = "bc4/channel.cl";
  plan.kernel = "bc4_channel";
  const bool luma = settings.texture == TextureFormat::bc4 && !has_alpha(settings.source);
  if (luma || has_alpha(settings.source))
    plan.defines = (luma ? " -DCODED=CODED_LUMA" : " -DCODED=CODED_ALPHA") + method_define(settings.method);
  else
    plan.defines = " -DCODED=CODED_OPAQUE";
  plan.group_items = static_cast<size_t>(settings.group_size);
  plan.global_items =
      round_up(static_cast<size_t>(plane.blocks_x) * static_cast<size_t>(plane.blocks_y), plan.group_items);
  plan.rows = static_cast<size_t>(plane.blocks_y);
  plan.row_items = static_cast<size_t>(plane.blocks_x);
  plan.first_plane = target.plane;
  plan.bytes_only = !luma;
  plan.first = target.first;
  plan.step = target.step;
  return plan;
}

}  // namespace texcast::stages
