#include "transform_decision.h"

#include <string>

#include "base/ensure.h"
#include "compact/transform_syntax.h"
#include "ocl/program.h"
#include "stages/stage.h"

namespace texcast::compact {
namespace {

static_assert(sizeof(texcast_macroblock) == 4 * 4);

// Planes repeat their edges (cl_kernels/compact/transform_planes.cl).
size_t padded_blocks(int blocks_x, int blocks_y) {
  return (static_cast<size_t>(blocks_x) + 4) * (static_cast<size_t>(blocks_y) + 2);
}
size_t plane_bytes(const Component& component) { return padded_blocks(component.blocks_x, component.blocks_y) * 16; }
size_t bytes_of_planes(const TileGrid& grid) {
  return 4 * plane_bytes(grid.component(0)) + 2 * plane_bytes(grid.component(1));
}
size_t bytes_of_levels(const TileGrid& grid) {
  return size_t{grid.tiles()} * TEXCAST_MACROBLOCKS * TEXCAST_TRANSFORM_BLOCKS * TEXCAST_COEFFICIENTS * sizeof(int16_t);
}

// Local memory of a work-group, at least the size of group_memory in cl_kernels/compact/transform_group.cl, whose
// compilation fails if it is not enough.
size_t group_bytes(const TileGrid& grid) {
  constexpr size_t kOfTile = 5120, kOfBlock = 2096;
  const Component& chroma = grid.component(1);
  const int blocks = 4 + 2 * 4 / (chroma.across * chroma.down);  // transform blocks of a macroblock
  return kOfTile + kOfBlock * static_cast<size_t>(blocks);
}

std::string options(const ocl::Device& device, const TileGrid& grid, const TransformForm& form) {
  const Component& chroma = grid.component(1);
  std::string options = "-DCHANNEL=1";
  const auto define = [&](const char* name, size_t value) {
    options.append(" -D").append(name).append("=").append(std::to_string(value));
  };
  define("DECIDE_ITEMS", static_cast<size_t>(form.items));
  define("ACROSS", static_cast<size_t>(chroma.across));
  define("DOWN", static_cast<size_t>(chroma.down));
  define("GROUP_BYTES", group_bytes(grid));
  if (form.registers > 0 && stages::limits_registers(device))
    options.append(" -DDECIDE_GROUP= -cl-nv-maxrregcount=").append(std::to_string(form.registers));
  return options;
}

}  // namespace

TransformDecision::TransformDecision(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers,
                                     const RdTables& tables, const TransformTables& transform_tables,
                                     const TransformForm& form)
    : queue_(queue),
      buffers_(buffers),
      tables_(tables),
      transform_tables_(transform_tables),
      items_(static_cast<size_t>(form.items)),
      group_bytes_(group_bytes(grid)),
      planes_(queue.memory(bytes_of_planes(grid))),
      texture_(queue.memory(buffers.sub_blocks * 8)),
      levels_(queue.memory(bytes_of_levels(grid))),
      macroblocks_(queue.device(), queue.commands(), size_t{grid.tiles()} * TEXCAST_MACROBLOCKS) {
  ENSURE(grid.can_transform());
  const ocl::Device& device = queue.device();
  const cl::Program planes = ocl::build_program(device, "compact/transform_planes.cl", "-DCHANNEL=1");
  decode_planes_ = cl::Kernel(planes, "decode_planes");
  interpolate_planes_ = cl::Kernel(planes, "interpolate_planes");
  const std::string text = options(device, grid, form);
  decide_ = cl::Kernel(ocl::build_program(device, "compact/transform_decide.cl", text), "decide_transform");
}

void TransformDecision::prepare_reference(Stage& stage) {
  if (has_planes_) return;
  has_planes_ = true;
  const texcast_component &luma = buffers_.components[0], &chroma = buffers_.components[1];
  const auto padded = [](const texcast_component& c) { return padded_blocks(c.blocks_x, c.blocks_y); };
  set_arguments(decode_planes_, tables_.components, buffers_.reference, planes_);
  queue_.launch(decode_planes_, padded(luma) + 2 * padded(chroma), stage);
  set_arguments(interpolate_planes_, luma, planes_);
  queue_.launch(interpolate_planes_, padded(luma), stage);
}

void TransformDecision::start(const cl::Buffer& tiles, size_t first, size_t count, const cl::Buffer& texels,
                              Stage& stage) {
  count_ = count;
  if (count == 0) return;
  set_arguments(decide_, tables_.components, tiles, static_cast<cl_int>(first), texels, planes_, buffers_.reference,
                transform_tables_.costs, texture_, macroblocks_.device(), levels_, cl::Local(group_bytes_));
  queue_.launch_groups(decide_, count, items_, stage);
}

void TransformDecision::download(Stage& stage) const {
  if (count_ == 0) return;
  queue_.download(macroblocks_.device(), 0, count_ * TEXCAST_MACROBLOCKS * sizeof(texcast_macroblock),
                  macroblocks_.host().data(), stage);
}

void TransformDecision::result(size_t i, EncodedTile& tile) const {
  tile.intra_macroblocks = 0;
  for (size_t at = 0; at < TEXCAST_MACROBLOCKS; ++at) {
    const texcast_macroblock& macroblock = macroblocks_.host()[i * TEXCAST_MACROBLOCKS + at];
    tile.macroblock_vectors[at] = {macroblock.vector[0], macroblock.vector[1]};
    if (is_intra(static_cast<MacroblockMode>(macroblock.mode)))
      tile.intra_macroblocks = static_cast<uint8_t>(tile.intra_macroblocks | 1u << at);
  }
}

}  // namespace texcast::compact
