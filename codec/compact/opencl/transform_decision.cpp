#include "transform_decision.h"

#include <string>

#include "compact/transform_syntax.h"
#include "ocl/program.h"
#include "stages/stage.h"

namespace texcast::compact {
namespace {

static_assert(sizeof(texcast_macroblock) == 4 * 4);

size_t bytes_of_levels(const TileGrid& grid) {
  return size_t{grid.tiles()} * TEXCAST_MACROBLOCKS * TEXCAST_TRANSFORM_BLOCKS * TEXCAST_COEFFICIENTS * sizeof(int16_t);
}

// Transform blocks of a macroblock.
size_t blocks_of(const TileGrid& grid) {
  const Component& chroma = grid.component(1);
  return 4 + 2 * 4 / static_cast<size_t>(chroma.across * chroma.down);
}
// Local memory of a work-group, at least the size of group_memory in cl_kernels/compact/transform_group.cl, whose
// compilation fails if it is not enough.
size_t group_bytes(const TileGrid& grid) {
  constexpr size_t kOfTile = 1080, kOfBlock = 836;
  return kOfTile + kOfBlock * blocks_of(grid);
}
size_t bytes_of_trials(const TileGrid& grid) {
  constexpr size_t kIntraModes = 4;
  return size_t{grid.tiles()} * kIntraModes * blocks_of(grid) * kTransformSide * TEXCAST_INTRA_ROW_BYTES;
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
                                     const TransformPlanes& planes, const TransformForm& form)
    : queue_(queue),
      buffers_(buffers),
      tables_(tables),
      transform_tables_(transform_tables),
      planes_(planes),
      items_(static_cast<size_t>(form.items)),
      group_bytes_(group_bytes(grid)),
      decide_(ocl::build_program(queue.device(), "compact/transform_decide.cl", options(queue.device(), grid, form)),
              "decide_transform"),
      fit_(ocl::build_program(queue.device(), "compact/transform_fit.cl", "-DCHANNEL=1"), "fit_samples"),
      samples_(queue.memory(planes.layout().samples())),
      texture_(queue.memory(buffers.sub_blocks * 8)),
      levels_(queue.memory(bytes_of_levels(grid))),
      trials_(queue.memory(bytes_of_trials(grid))),
      macroblocks_(queue.device(), queue.commands(), size_t{grid.tiles()} * TEXCAST_MACROBLOCKS) {}

void TransformDecision::start(const cl::Buffer& tiles, size_t first, size_t count, const cl::Buffer& texels,
                              Stage& stage) {
  count_ = count;
  if (count == 0) return;
  set_arguments(decide_, tables_.components, tiles, static_cast<cl_int>(first), texels, planes_.planes(),
                transform_tables_.costs, samples_, macroblocks_.device(), levels_, trials_, cl::Local(group_bytes_));
  queue_.launch_groups(decide_, count, items_, stage);
}

void TransformDecision::fit(const cl::Buffer& tiles, size_t first, Stage& stage) {
  if (count_ == 0) return;
  set_arguments(fit_, tables_.components, tiles, static_cast<cl_int>(first), static_cast<cl_uint>(count_), samples_,
                macroblocks_.device(), buffers_.reference, texture_);
  queue_.launch_components(fit_, count_ * buffers_.first_sub_blocks(), kTransformComponents, stage);
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
