#include "change_detection.h"

#include "host_copy.h"
#include "ocl/program.h"

namespace texcast::compact {

ChangeDetection::ChangeDetection(const DeviceQueue& queue, const TileGrid& grid, RdFrameBuffers& buffers,
                                 TileLists& lists)
    : queue_(queue),
      grid_(grid),
      buffers_(buffers),
      lists_(lists),
      differences_(queue.device(), queue.commands(), grid.tiles()) {
  const cl::Program changes = ocl::build_program(queue.device(), "compact/changes.cl", "-DCHANNEL=1");
  find_changes_ = cl::Kernel(changes, "find_changes");
  keep_sub_blocks_ = cl::Kernel(changes, "copy_sub_blocks");
  keep_plane_ = cl::Kernel(changes, "copy_plane");
  draw_plane_ = cl::Kernel(ocl::build_program(queue.device(), "compact/motion.cl", "-DCHANNEL=1"), "draw_plane");
}

void ChangeDetection::keep(const FrameOutcome& outcome, Stage& stage) {
  const TileList redrawn = lists_.put(queue_, outcome.redrawn, stage);
  const TileList coded = lists_.put(queue_, outcome.coded, stage);
  keep_sub_blocks(redrawn, buffers_.texture, buffers_.previous_texture, stage);
  if (redrawn.count > 0) {
    set_arguments(keep_plane_, buffers_.components[0], lists_.device(), redrawn.first, redrawn.count,
                  buffers_.source_plane, buffers_.previous_plane);
    queue_.launch(keep_plane_, redrawn.count * buffers_.first_sub_blocks(), stage);
  }
  if (coded.count == 0) return;
  keep_sub_blocks(coded, buffers_.reconstruction, buffers_.reference, stage);
  for_ranges(grid_, outcome.recoded, [&](size_t at, size_t bytes) {
    queue_.upload(buffers_.reference, at, bytes, outcome.reference.data() + at, stage);
  });
  draw_reference(coded, stage);
}

void ChangeDetection::draw_reference(const TileList& tiles, Stage& stage) {
  draw(buffers_.reference, tiles, buffers_.reference_plane, stage);
}

void ChangeDetection::draw_blocks(const TileList& tiles, Stage& stage) {
  draw(buffers_.texture, tiles, buffers_.source_plane, stage);
}

void ChangeDetection::find(const BackendFrame& frame, Workers& workers, Stage& stage) {
  const TileList compared = lists_.put(queue_, frame.compared, stage);
  for_ranges(grid_, frame.compared, [&](size_t at, size_t bytes) {
    std::byte* const host = static_cast<std::byte*>(buffers_.host_texture.data()) + at;
    copy_in_parts(workers, bytes, frame.texture.data() + at, host, [&](size_t begin, size_t count) {
      queue_.upload(buffers_.texture, at + begin, count, host + begin, stage);
      queue_.commands().flush();
    });
  });
  queue_.clear(differences_.device(), grid_.tiles() * sizeof(TileDifference), stage);
  for (size_t i = 0; i < buffers_.components.size() && compared.count > 0; ++i) {
    const texcast_component& component = buffers_.components[i];
    set_arguments(find_changes_, component, lists_.device(), compared.first, compared.count, buffers_.texture,
                  buffers_.previous_texture, cl_int{frame.reference.empty()}, cl_int{i == 0}, differences_.device());
    queue_.launch(find_changes_, compared.count * sub_blocks_of_tile(component), stage);
  }
  differences_.download(queue_.commands(), grid_.tiles(), queue_.event(stage));
}

void ChangeDetection::draw(const cl::Buffer& texture, const TileList& tiles, const cl::Buffer& plane, Stage& stage) {
  set_arguments(draw_plane_, texture, buffers_.components[0], lists_.device(), tiles.first, tiles.count, plane);
  queue_.launch(draw_plane_, tiles.count * buffers_.first_sub_blocks(), stage);
}

void ChangeDetection::keep_sub_blocks(const TileList& tiles, const cl::Buffer& from, const cl::Buffer& to,
                                      Stage& stage) {
  for (const texcast_component& component : buffers_.components) {
    if (tiles.count == 0) return;
    set_arguments(keep_sub_blocks_, component, lists_.device(), tiles.first, tiles.count, from, to);
    queue_.launch(keep_sub_blocks_, tiles.count * sub_blocks_of_tile(component), stage);
  }
}

}  // namespace texcast::compact
