#include "change_detection.h"

#include "ocl/program.h"

namespace texcast::compact {

ChangeDetection::ChangeDetection(const DeviceQueue& queue, const TileGrid& grid, RdFrameBuffers& buffers,
                                 const RdTables& tables, TileLists& lists)
    : queue_(queue),
      grid_(grid),
      buffers_(buffers),
      tables_(tables),
      lists_(lists),
      differences_(queue.device(), queue.commands(), grid.tiles() * sizeof(TileDifference)) {
  const cl::Program changes = ocl::build_program(queue.device(), "compact/changes.cl", "-DCHANNEL=1");
  find_changes_ = cl::Kernel(changes, "find_changes");
  keep_tiles_ = cl::Kernel(changes, "keep_tiles");
  draw_plane_ = cl::Kernel(ocl::build_program(queue.device(), "compact/motion.cl", "-DCHANNEL=1"), "draw_plane");
}

void ChangeDetection::keep(const FrameOutcome& outcome, const TileList& coded, Stage& stage) {
  if (coded.count == 0) return;
  for_ranges(grid_, outcome.recoded, [&](size_t at, size_t bytes) {
    queue_.upload(buffers_.reconstruction, at, bytes, outcome.reference.data() + at, stage);
  });
  set_arguments(keep_tiles_, tables_.components, lists_.device(), coded.first, coded.count, buffers_.texture,
                buffers_.source_plane, buffers_.reconstruction, buffers_.previous_texture, buffers_.previous_plane,
                buffers_.reference, buffers_.reference_plane);
  queue_.launch_components(keep_tiles_, coded.count * buffers_.first_sub_blocks(), buffers_.components.size(), stage);
}

void ChangeDetection::draw_reference(const TileList& tiles, Stage& stage) {
  draw(buffers_.reference, tiles, buffers_.reference_plane, stage);
}

void ChangeDetection::draw_blocks(const TileList& tiles, Stage& stage) {
  draw(buffers_.texture, tiles, buffers_.source_plane, stage);
}

TileList ChangeDetection::upload(const BackendFrame& frame, HostCopies& copies, Stage& stage) {
  for_ranges(grid_, frame.compared, [&](size_t at, size_t bytes) {
    copies.add({.from = frame.texture.data() + at,
                .to = static_cast<std::byte*>(buffers_.host_texture.data()) + at,
                .bytes = bytes,
                .device = &buffers_.texture,
                .at = at},
               stage);
  });
  return lists_.put(queue_, frame.compared, stage);
}

void ChangeDetection::find(const BackendFrame& frame, const TileList& compared, Stage& stage) {
  const size_t bytes = grid_.tiles() * sizeof(TileDifference);
  queue_.clear(buffers_.changes, bytes, stage);
  if (compared.count > 0) {
    set_arguments(find_changes_, tables_.components, lists_.device(), compared.first, compared.count, buffers_.texture,
                  buffers_.previous_texture, cl_int{frame.reference.empty()}, buffers_.changes);
    queue_.launch_components(find_changes_, compared.count * buffers_.first_sub_blocks(), buffers_.components.size(),
                             stage);
  }
  queue_.download(buffers_.changes, 0, bytes, differences_.data(), stage);
}

void ChangeDetection::draw(const cl::Buffer& texture, const TileList& tiles, const cl::Buffer& plane, Stage& stage) {
  set_arguments(draw_plane_, texture, buffers_.components[0], lists_.device(), tiles.first, tiles.count, plane);
  queue_.launch(draw_plane_, tiles.count * buffers_.first_sub_blocks(), stage);
}

}  // namespace texcast::compact
