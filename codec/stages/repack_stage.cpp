#include "stages/repack_stage.h"

#include <span>

#include "base/ensure.h"
#include "kernel_plan.h"
#include "kernels/layout.h"
#include "texture_stage.h"

namespace texcast::stages {
namespace {

static_assert(sizeof(texcast_planes) == 8 * 4, "no padding: the kernel shares it");

texcast_planes planes_argument(const TextureLayout& layout) {
  const PlaneLayout &luma = layout.planes[0], &chroma = layout.planes[1];
  return {.blocks_x = luma.blocks_x,
          .blocks_y = luma.blocks_y,
          .chroma_blocks_x = chroma.blocks_x,
          .chroma_blocks_y = chroma.blocks_y,
          .chroma_width = chroma.width,
          .chroma_height = chroma.height,
          .plane1 = static_cast<int>(chroma.offset / 8),
          .plane2 = static_cast<int>(layout.planes[2].offset / 8)};
}

}  // namespace

std::unique_ptr<Stage> make_repack_stage(const ocl::Device& device, const RepackSettings& settings) {
  ENSURE(is_planar_ycocg(settings.from) && has_method(TextureFormat::ycocg_dxt5, settings.method));
  const auto planes = planes_argument(texture_layout(settings.from, settings.width, settings.height));
  return make_texture_stage(device, plan_repack(settings), std::as_bytes(std::span(&planes, 1)));
}

}  // namespace texcast::stages
