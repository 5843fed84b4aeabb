#include "complexity_estimate.h"

#include "ocl/program.h"
#include "vector_arguments.h"

namespace texcast::compact {
namespace {

constexpr size_t kComplexityItems = 32;  // one work-group for each tile

}  // namespace

ComplexityEstimate::ComplexityEstimate(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers)
    : queue_(queue),
      buffers_(buffers),
      find_(ocl::build_program(queue.device(), "compact/complexity.cl", "-DCHANNEL=1"), "estimate_complexity"),
      tiles_(queue.device(), queue.commands(), grid.tiles()),
      result_(grid.tiles()) {}

void ComplexityEstimate::start(std::span<const TileToMeasure> tiles, std::span<const MotionVector> global,
                               Stage& stage) {
  for (size_t i = 0; i < tiles.size(); ++i) {
    texcast_lossy_complexity& to = tiles_.host()[i] = {.tile = static_cast<int>(tiles[i].tile),
                                                       .intra = tiles[i].intra,
                                                       .vectors = {tiles[i].own.x, tiles[i].own.y},
                                                       .previous_vectors = {},
                                                       .estimate = 0,
                                                       .is_new_content = 0};
    put_vectors(tiles[i].previous_vectors, to.previous_vectors);
  }
  tiles_.upload(queue_.commands(), tiles.size(), queue_.event(stage));
  set_arguments(find_, buffers_.components[0], tiles_.device(), buffers_.source_plane, buffers_.previous_plane,
                buffers_.reference_plane, global_vectors(global), static_cast<cl_int>(global.size()),
                cl::Local(kComplexityItems * sizeof(cl_int)));
  queue_.launch_groups(find_, tiles.size(), kComplexityItems, stage);
  tiles_.download(queue_.commands(), tiles.size(), queue_.event(stage));
}

std::span<const TileComplexity> ComplexityEstimate::result(size_t tiles) {
  for (size_t i = 0; i < tiles; ++i)
    result_[i] = {.estimate = tiles_.host()[i].estimate, .is_new_content = tiles_.host()[i].is_new_content != 0};
  return std::span(result_).first(tiles);
}

}  // namespace texcast::compact
