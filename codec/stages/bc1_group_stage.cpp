// BC1 in the paper's form: 16 work-items a block.
#include "base/ensure.h"
#include "kernel_stage.h"

namespace texcast::stages {
namespace {

using Variant = LspiroVariant;

std::string variant_defines(const Variant& v) {
  std::string defines;
  if (v.sort == Variant::Sort::insertion) defines += " -DINSERTION_SORT=1";
  if (v.layout == Variant::Layout::natural) defines += " -DWORDS_PER_TEXEL=4";
  if (v.channels == Variant::Channels::in_turn) defines += " -DCHANNELS_IN_TURN=1";
  if (v.kernels == Variant::Kernels::ends_only) defines += " -DKERNELS=KERNEL_ENDS";
  if (v.kernels == Variant::Kernels::pack_only) defines += " -DKERNELS=KERNEL_PACK";
  if (v.line_in_floats) defines += " -DLINE_IN_FLOATS=1";
  if (v.relaxed_math) defines += " -cl-fast-relaxed-math";
  if (v.max_registers > 0) defines += " -cl-nv-maxrregcount=" + std::to_string(v.max_registers);
  return defines;
}

const char* lspiro_kernel(Variant::Kernels kernels) {
  if (kernels == Variant::Kernels::ends_only) return "bc1_lspiro1_group_ends";
  return kernels == Variant::Kernels::pack_only ? "bc1_group_pack" : "bc1_lspiro1_group";
}

}  // namespace

KernelPlan plan_bc1_group(const StageSettings& settings) {
  ENSURE(settings.blocks_per_group >= 1 && settings.blocks_per_group <= 16);
  const TextureLayout layout = texture_layout(settings.texture, settings.source.width, settings.source.height);
  const auto per_group = static_cast<size_t>(settings.blocks_per_group);
  KernelPlan plan;
  plan.defines = " -DBLOCKS_PER_GROUP=" + std::to_string(settings.blocks_per_group);
  if (settings.method == Method::range) {
    plan.file = "paper/range.cl";
    plan.kernel = "bc1_range_group";
  } else {
    ENSURE(settings.lspiro.kernels != Variant::Kernels::separate);  // two plans
    plan.file = "paper/lspiro.cl";
    plan.kernel = lspiro_kernel(settings.lspiro.kernels);
    plan.defines += variant_defines(settings.lspiro);
  }
  plan.group_items = 16 * per_group;
  plan.global_items = 16 * round_up(layout.total_bytes / 8, per_group);
  plan.rows = static_cast<size_t>(layout.planes[0].blocks_y);
  plan.row_items = 16 * static_cast<size_t>(layout.planes[0].blocks_x);
  return plan;
}

std::unique_ptr<Stage> make_bc1_group_stage(const ocl::Device& device, StageSettings settings) {
  if (settings.lspiro.kernels != Variant::Kernels::separate)
    return make_kernel_stage(device, settings, plan_bc1_group(settings));
  settings.lspiro.kernels = Variant::Kernels::ends_only;
  auto ends = make_kernel_stage(device, settings, plan_bc1_group(settings));
  settings.lspiro.kernels = Variant::Kernels::pack_only;
  return in_sequence(std::move(ends), make_kernel_stage(device, settings, plan_bc1_group(settings)));
}

bool limits_registers(const ocl::Device& device) {
  const auto extensions = device.device().getInfo<CL_DEVICE_EXTENSIONS>();
  return extensions.find("cl_nv_compiler_options") != std::string::npos;
}

}  // namespace texcast::stages
