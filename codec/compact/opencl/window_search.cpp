#include "window_search.h"

#include <algorithm>

#include "base/ensure.h"
#include "compact/window_index.h"
#include "ocl/program.h"
#include "vector_arguments.h"

namespace texcast::compact {
namespace {

constexpr size_t kWindowItems = 64, kMostVotes = 256;

}  // namespace

WindowSearch::WindowSearch(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers,
                           const TileLists& lists)
    : queue_(queue),
      buffers_(buffers),
      lists_(lists),
      shift_(64 - window_index_bits(grid)),
      index_bytes_((size_t{WindowIndex::kWays} << window_index_bits(grid)) * sizeof(uint32_t)),
      index_(queue.memory(index_bytes_)),
      latest_(queue.memory(index_bytes_)),
      found_(queue.device(), queue.commands(), grid.tiles()),
      candidates_(grid.tiles()) {
  const cl::Program windows = ocl::build_program(queue.device(), "compact/window_index.cl", "-DCHANNEL=1");
  find_candidates_ = cl::Kernel(windows, "find_window_candidates");
  put_ = cl::Kernel(windows, "index_windows");
}

void WindowSearch::start(std::span<const uint32_t> entries) {
  for (const cl::Buffer& index : {index_, latest_})
    queue_.commands().enqueueFillBuffer(index, cl_uint{0}, 0, index_bytes_);
  if (entries.empty()) return;
  ENSURE(entries.size_bytes() == index_bytes_);
  queue_.commands().enqueueWriteBuffer(index_, CL_TRUE, 0, index_bytes_, entries.data());
}

void WindowSearch::find(const SomeTiles& tiles, Stage& stage) {
  set_arguments(find_candidates_, buffers_.components[0], lists_.device(), tiles.list.first, buffers_.changes,
                cl_int{tiles.only_changed}, buffers_.source_plane, buffers_.previous_plane, index_, shift_,
                found_.device(), buffers_.matched_vectors, cl::Local((kWindowItems + 1) * sizeof(cl_uint)),
                cl::Local(kMostVotes * sizeof(cl_uint)), cl::Local(kMostVotes * sizeof(cl_uint)),
                cl::Local(kMostVotes * sizeof(cl_uint2)));
  queue_.launch_groups(find_candidates_, tiles.list.count, kWindowItems, stage);
  found_.download(queue_.commands(), tiles.list.count, queue_.event(stage));
}

void WindowSearch::index(const SomeTiles& tiles, Stage& stage) {
  for (const cl_int settles : {0, 1}) {
    set_arguments(put_, buffers_.components[0], lists_.device(), tiles.list.first, tiles.list.count, buffers_.changes,
                  cl_int{tiles.only_changed}, buffers_.source_plane, shift_, settles, latest_, index_);
    queue_.launch(put_, tiles.list.count * buffers_.first_sub_blocks() * 16, stage);
  }
}

std::span<const MotionCandidates> WindowSearch::none(size_t changed) {
  const auto candidates = std::span(candidates_).first(changed);
  std::ranges::fill(candidates, MotionCandidates{});
  return candidates;
}

std::span<const MotionCandidates> WindowSearch::candidates(std::span<const uint32_t> of,
                                                           std::span<const uint32_t> changed) {
  size_t slot = 0;
  for (size_t i = 0; i < changed.size(); ++i) {
    while (slot < of.size() && of[slot] != changed[i]) ++slot;
    ENSURE(slot < of.size());
    candidates_[i] = unpacked_candidates(found_.host()[slot]);
  }
  return std::span(candidates_).first(changed.size());
}

}  // namespace texcast::compact
