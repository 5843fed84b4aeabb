#include "transform_planes.h"

#include <algorithm>
#include <vector>

#include "base/ensure.h"
#include "ocl/program.h"

namespace texcast::compact {
namespace {

// As in cl_kernels/compact/transform_samples.cl.
constexpr size_t kBlocksOnLeft = 2, kBlocksAbove = 1, kLumaPlanes = 4;
size_t padded_columns(const texcast_component& c) { return static_cast<size_t>(c.blocks_x) + 2 * kBlocksOnLeft; }
size_t padded_blocks(const texcast_component& c) {
  return padded_columns(c) * (static_cast<size_t>(c.blocks_y) + 2 * kBlocksAbove);
}
// The beginning of the padded plane of a component, in bytes.
size_t first_of_padded(const std::vector<texcast_component>& components, size_t component) {
  size_t blocks = 0;
  for (size_t i = 0; i < component; ++i) blocks += (i == 0 ? kLumaPlanes : 1) * padded_blocks(components[i]);
  return blocks * sizeof(SubBlockTexels);
}

}  // namespace

TransformPlanes::TransformPlanes(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers,
                                 const RdTables& tables)
    : queue_(queue),
      buffers_(buffers),
      tables_(tables),
      layout_(grid),
      planes_(queue.memory(first_of_padded(buffers.components, kTransformComponents))) {
  ENSURE(grid.can_transform());
  const cl::Program planes = ocl::build_program(queue.device(), "compact/transform_planes.cl", "-DCHANNEL=1");
  update_ = cl::Kernel(planes, "update_samples");
  interpolate_ = cl::Kernel(planes, "interpolate_planes");
}

void TransformPlanes::update(const TileLists& lists, const TileList& tiles, const cl::Buffer& samples, Stage& stage) {
  if (tiles.count == 0) return;
  set_arguments(update_, tables_.components, lists.device(), tiles.first, tiles.count, samples, buffers_.reference,
                planes_);
  queue_.launch_components(update_, tiles.count * buffers_.first_sub_blocks(), kTransformComponents, stage);
}

void TransformPlanes::interpolate(Stage& stage) {
  set_arguments(interpolate_, buffers_.components[0], planes_);
  queue_.launch(interpolate_, padded_blocks(buffers_.components[0]), stage);
}

void TransformPlanes::read(std::span<uint8_t> samples) const {
  ENSURE(samples.size() == layout_.samples());
  std::vector<uint8_t> padded;
  for (int c = 0; c < kTransformComponents; ++c) {
    const texcast_component& component = buffers_.components[static_cast<size_t>(c)];
    padded.resize(padded_blocks(component) * sizeof(SubBlockTexels));
    queue_.commands().enqueueReadBuffer(planes_, CL_TRUE, first_of_padded(buffers_.components, static_cast<size_t>(c)),
                                        padded.size(), padded.data());
    const size_t stride = 4 * padded_columns(component), width = static_cast<size_t>(layout_.width(c));
    for (int y = 0; y < layout_.height(c); ++y)
      std::copy_n(&padded[(static_cast<size_t>(y) + 4 * kBlocksAbove) * stride + 4 * kBlocksOnLeft], width,
                  &samples[layout_.at(c, 0, y)]);
  }
}

}  // namespace texcast::compact
