#include "base/ensure.h"
#include "kernel_stage.h"

namespace texcast::stages {
namespace {

struct WideKernel {
  const char *kernel, *file;
};

WideKernel wide_kernel(Method method) {
  switch (method) {
    case Method::range: return {"bc1_range", "bc1/range.cl"};
    case Method::lspiro1: return {"bc1_lspiro1", "bc1/lspiro_line.cl"};
    case Method::lspiro2: return {"bc1_lspiro2", "bc1/lspiro_correct.cl"};
    case Method::lspiro3: return {"bc1_lspiro3", "bc1/lspiro_search.cl"};
    case Method::refine_once: return {"bc1_refine_once", "bc1/refine.cl"};
    case Method::refine: return {"bc1_refine", "bc1/refine.cl"};
    case Method::cluster: return {"bc1_cluster", "bc1/cluster.cl"};
    case Method::cluster_search: return {"bc1_cluster_search", "bc1/cluster_search.cl"};
  }
  ENSURE(false);
}

}  // namespace

KernelPlan plan_bc1(const StageSettings& settings) {
  if (settings.form == Form::group) return plan_bc1_group(settings);
  const PlaneLayout plane = texture_layout(settings.texture, settings.source.width, settings.source.height).planes[0];
  const size_t blocks = static_cast<size_t>(plane.blocks_x) * static_cast<size_t>(plane.blocks_y);
  const bool behind_alpha = settings.texture == TextureFormat::bc3;
  KernelPlan plan;
  plan.first = behind_alpha ? 1 : 0;
  plan.step = behind_alpha ? 2 : 1;
  if (settings.form == Form::wide) {
    const WideKernel wide = wide_kernel(settings.method);
    plan.file = wide.file;
    plan.kernel = wide.kernel;
    plan.group_items = static_cast<size_t>(settings.group_size);
    if (settings.method == Method::cluster) {
      plan.table_kernel = "bc1_cluster_table";
      plan.table_entries = 1024;
    }
    // What keeps sums in local memory depends on the size of its groups; the others share one program.
    if (settings.method == Method::cluster || settings.method == Method::cluster_search)
      plan.defines = " -DGROUP_ITEMS=" + std::to_string(settings.group_size);
    if (behind_alpha && settings.method == Method::cluster_search) plan.defines += " -DFOUR_COLOURS=1";
    if (settings.options.allow_black) plan.defines += " -DALLOW_BLACK=1";
    if (has_option(TextureFormat::bc1, settings.method, MethodOption::passes))
      plan.defines += " -DLSPIRO_PASSES=" + std::to_string(settings.options.passes_or_usual());
    if (has_option(TextureFormat::bc1, settings.method, MethodOption::radius))
      plan.defines += " -DLSPIRO_RADIUS=" + std::to_string(settings.options.radius_or_usual());
    plan.global_items = round_up(blocks, plan.group_items);
    plan.row_items = static_cast<size_t>(plane.blocks_x);
  } else {
    if (settings.method == Method::range) {
      plan.file = "bc1/range_16_blocks.cl";
      plan.kernel = "bc1_range16";
    } else {
      plan.file = "bc1/refine_16_blocks.cl";
      plan.kernel = "bc1_refine16";
      plan.defines = method_define(settings.method);
    }
    plan.group_items = 1;
    plan.row_items = static_cast<size_t>((plane.blocks_x + 15) / 16);
    plan.global_items = plan.row_items * static_cast<size_t>(plane.blocks_y);
  }
  plan.rows = static_cast<size_t>(plane.blocks_y);
  return plan;
}

}  // namespace texcast::stages
