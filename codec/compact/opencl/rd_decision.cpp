#include "rd_decision.h"

#include <algorithm>
#include <string>

#include "base/ensure.h"
#include "compact/transform_lambda.h"
#include "ocl/program.h"
#include "stages/stage.h"
#include "vector_arguments.h"

namespace texcast::compact {
namespace {

constexpr size_t kTileItems = 32;  // one work-group for each tile
constexpr size_t kAnalysisItems = TEXCAST_LOSSY_ANALYSIS_ITEMS;
// Without a limit decide_lossy uses 157 registers, and twelve tiles fit into a multiprocessor. With 128 registers
// sixteen fit, which reduces the time by a twelfth (H100, 3840x2160).
constexpr const char* kFewRegisters = " -DLOSSY_GROUP= -cl-nv-maxrregcount=128";

static_assert(sizeof(texcast_lossy_component) == 24 * 4 && sizeof(texcast_lossy_tile) == 34 * 4);
static_assert(kChanged == TEXCAST_CHANGED && kContents == TEXCAST_CONTENTS &&
              static_cast<int>(Content::screen) == TEXCAST_SCREEN);

texcast_lossy_tile argument(const TileToEncode& tile, const SearchEffort& effort) {
  const int lambda = transform_lambda(tile.parameters, tile.intra);
  texcast_lossy_tile argument{.tile = static_cast<int>(tile.tile),
                              .content = static_cast<int>(tile.expected),
                              .intra = tile.intra,
                              .lambda = tile.parameters.lambda,
                              .quantiser = tile.parameters.quantiser,
                              .candidates = effort.candidates,
                              .refits = effort.refits,
                              .least_saved = effort.least_saved,
                              .lambda_weights = {},
                              .vector_cost = tile.parameters.vector_cost,
                              .own = {tile.own.x, tile.own.y},
                              .changed_partitions = tile.changed_partitions,
                              .vectors = {},
                              .attempt = static_cast<int>(tile.attempt),
                              .transform_lambda = lambda,
                              .transform_quantiser = transform_quantiser(lambda),
                              .adapts_lambda = tile.adapts_lambda};
  put_vectors(tile.previous_vectors, argument.vectors);
  return argument;
}

void launch_components(const DeviceQueue& queue, const cl::Kernel& kernel, size_t groups, size_t group, int first,
                       int count, Stage& stage) {
  queue.commands().enqueueNDRangeKernel(kernel, cl::NDRange(0, static_cast<size_t>(first)),
                                        cl::NDRange(groups * group, static_cast<size_t>(count)), cl::NDRange(group, 1),
                                        nullptr, queue.event(stage));
}

}  // namespace

RdDecision::RdDecision(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers,
                       const RdTables& tables)
    : queue_(queue),
      buffers_(buffers),
      tables_(tables),
      tiles_(queue.device(), queue.commands(), RdDecision::kMostBatches * size_t{grid.tiles()}),
      analysis_(queue.memory(grid.tiles() * sub_blocks_of_tile(grid) * sizeof(texcast_lossy_analysis))),
      choices_(queue.memory(buffers.sub_blocks * sizeof(texcast_lossy_choice))) {
  const ocl::Device& device = queue.device();
  const cl::Program decision = ocl::build_program(device, "compact/lossy.cl",
                                                  std::string("-DCHANNEL=1 -DLOSSY_ITEMS=")
                                                      .append(std::to_string(kTileItems))
                                                      .append(" -DRANK_ITEMS=")
                                                      .append(device.info().is_gpu ? "4" : "1")
                                                      .append(stages::limits_registers(device) ? kFewRegisters : ""));
  analyse_ = cl::Kernel(decision, "analyse_lossy");
  decide_ = cl::Kernel(decision, "decide_lossy");
  search_ = cl::Kernel(ocl::build_program(device, "compact/half_pel_search.cl", "-DCHANNEL=1"), "search_half_pel");
  const cl::Program texels = ocl::build_program(device, "compact/source_texels.cl", "-DCHANNEL=1");
  texels_of_luma_ = cl::Kernel(texels, "texels_of_luma");
  texels_of_chroma_ = cl::Kernel(texels, "texels_of_chroma");
  texels_of_blocks_ = cl::Kernel(texels, "texels_of_blocks");
}

void RdDecision::start(const AttemptOrder& order, const SearchEffort& effort, Workers& workers, Stage& stage) {
  const size_t count = order.size();
  ENSURE(used_ + count <= tiles_.host().size());
  first_ = used_;
  used_ += count;
  if (count == 0) return;
  const std::span<texcast_lossy_tile> arguments = tiles_.host().subspan(first_, count);
  for_chunks(workers, count, [&](size_t place) { arguments[place] = argument(order.tile(place), effort); });
  queue_.upload(tiles_.device(), first_ * sizeof(texcast_lossy_tile), arguments.size_bytes(), arguments.data(), stage);
}

void RdDecision::search(const DeviceQueue& queue, size_t begin, size_t count, std::span<const MotionVector> global,
                        TexelSource texels, Stage& stage) {
  if (count == 0) return;
  const size_t first = first_ + begin;
  set_arguments(search_, buffers_.components[0], tiles_.device(), static_cast<cl_int>(first), buffers_.source_plane,
                buffers_.reference_plane, buffers_.previous_plane, buffers_.matched_vectors, global_vectors(global),
                static_cast<cl_int>(global.size()), cl::Local(16 * sizeof(cl_int2)),
                cl::Local(kTileItems * sizeof(cl_int)));
  queue.launch_groups(search_, count, kTileItems, stage);
  if (texels != TexelSource::drawn) find_texels(queue, first, count, texels, stage);
}

void RdDecision::find_texels(const DeviceQueue& queue, size_t first_tile, size_t count, TexelSource from,
                             Stage& stage) {
  const bool has_picture = from == TexelSource::picture;
  const auto first = static_cast<cl_int>(first_tile);
  const auto tiles = static_cast<cl_uint>(count);
  for (size_t i = 0; i < buffers_.components.size(); ++i) {
    const texcast_component& component = buffers_.components[i];
    cl::Kernel& kernel = !has_picture ? texels_of_blocks_ : i == 0 ? texels_of_luma_ : texels_of_chroma_;
    if (!has_picture)
      set_arguments(kernel, component, tiles_.device(), first, tiles, buffers_.texture, buffers_.texels);
    else if (i == 0)
      set_arguments(kernel, component, tiles_.device(), first, tiles, buffers_.source_plane, buffers_.texels);
    else
      set_arguments(kernel, buffers_.components[0], component, tiles_.device(), first, tiles, buffers_.chroma,
                    static_cast<cl_int>(i) - 1, buffers_.texels);
    queue.launch(kernel, count * sub_blocks_of_tile(component), stage);
  }
}

void RdDecision::decide(const DeviceQueue& queue, size_t count, Stage& stage) {
  if (count == 0) return;
  const auto first = static_cast<cl_int>(first_), components = static_cast<cl_int>(buffers_.components.size());
  set_arguments(analyse_, buffers_.reference, buffers_.texels, tables_.components, components, tiles_.device(), first,
                static_cast<cl_int>(count), buffers_.texture, analysis_);
  launch_components(queue, analyse_, count, kAnalysisItems, 0, components, stage);
  set_arguments(decide_, buffers_.reference, buffers_.texels, tables_.components, components, tiles_.device(), first,
                tables_.costs, tables_.least_costs, analysis_, buffers_.reconstruction, choices_);
  // The first component's decisions are contexts for the others.
  launch_components(queue, decide_, count, kTileItems, 0, 1, stage);
  if (components > 1) launch_components(queue, decide_, count, kTileItems, 1, components - 1, stage);
}

void RdDecision::download(size_t count, Stage& stage) const {
  queue_.download(tiles_.device(), first_ * sizeof(texcast_lossy_tile), count * sizeof(texcast_lossy_tile),
                  tiles_.host().data() + first_, stage);
}

void RdDecision::result(size_t i, EncodedTile& tile) const {
  const texcast_lossy_tile& found = tiles_.host()[first_ + i];
  for (size_t partition = 0; partition < tile.vectors.size(); ++partition)
    tile.vectors[partition] = {found.vectors[2 * partition], found.vectors[2 * partition + 1]};
  std::ranges::copy(found.lambda_weights, tile.lambda_weights.begin());
}

std::span<const SubBlockTexels> RdDecision::read_direct_levels(Stage& stage) {
  host_texels_.resize(buffers_.sub_blocks);
  queue_.download(buffers_.texels, 0, host_texels_.size() * sizeof(SubBlockTexels), host_texels_.data(), stage);
  return host_texels_;
}

}  // namespace texcast::compact
