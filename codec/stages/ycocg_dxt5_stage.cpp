#include "base/ensure.h"
#include "kernel_stage.h"

namespace texcast::stages {
namespace {

// As luma_effort in codec/ref/ycocg_dxt5.cpp.
const char* luma_defines(Method method) {
  switch (method) {
    case Method::refine_once: return " -DBC4_STARTS=1";
    case Method::refine: return " -DBC4_STARTS=4";
    case Method::cluster: return " -DBC4_STARTS=8 -DBC4_SIX_VALUES=1";
    case Method::cluster_search: return " -DBC4_STARTS=24 -DBC4_SIX_VALUES=1 -DBC4_WINDOW=2";
    default: ENSURE(false);
  }
}

}  // namespace

std::string chroma_defines(Method method) {
  switch (method) {
    case Method::refine_once: return "";
    case Method::refine: return " -DCHROMA_FITS=1";
    case Method::cluster: return " -DCHROMA_LINE_FITS=2 -DCHROMA_FITS=2";
    case Method::cluster_search: return " -DCHROMA_LINE_FITS=3 -DCHROMA_FITS=4 -DCHROMA_WALK=8";
    default: ENSURE(false);
  }
}

KernelPlan plan_ycocg_dxt5(const StageSettings& settings) {
  const PlaneLayout plane = texture_layout(settings.texture, settings.source.width, settings.source.height).planes[0];
  KernelPlan plan;
  plan.file = "ycocg/dxt5.cl";
  plan.kernel = "ycocg_dxt5";
  plan.defines = chroma_defines(settings.method) + luma_defines(settings.method);
  plan.group_items = static_cast<size_t>(settings.group_size);
  plan.global_items = round_up(plane.bytes / static_cast<size_t>(plane.block_bytes), plan.group_items);
  plan.rows = static_cast<size_t>(plane.blocks_y);
  plan.row_items = static_cast<size_t>(plane.blocks_x);
  return plan;
}

}  // namespace texcast::stages
