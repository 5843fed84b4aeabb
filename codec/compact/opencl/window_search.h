// window_search.h — motion candidates of changed tiles, from windows that are found again in the previous source
// (compact/window_index.h).
#pragma once

#include <span>
#include <vector>

#include "compact/encoder_backend.h"
#include "rd_frame_buffers.h"
#include "tile_lists.h"

namespace texcast::compact {

class WindowSearch {
 public:
  WindowSearch(const DeviceQueue& queue, const TileGrid& grid, const RdFrameBuffers& buffers, const TileLists& lists);

  // `entries`: those of the previous source; empty: there was none.
  void start(std::span<const uint32_t> entries);
  // Starts the search for the windows of the tiles.
  void find(const SomeTiles& tiles, Stage& stage);
  // Adds their windows to the index, for the next frame.
  void index(const SomeTiles& tiles, Stage& stage);
  // Returns the candidates of a frame without a reference.
  std::span<const MotionCandidates> none(size_t changed);
  // The result of find() of the tiles `of`: those of `changed`, which are some of them. Both are ascending. Valid after
  // DeviceQueue::wait().
  std::span<const MotionCandidates> candidates(std::span<const uint32_t> of, std::span<const uint32_t> changed);

 private:
  const DeviceQueue& queue_;
  const RdFrameBuffers& buffers_;
  const TileLists& lists_;
  cl::Kernel find_candidates_, put_;
  const cl_int shift_;  // from a hash to its bucket
  const size_t index_bytes_;
  cl::Buffer index_, latest_;
  MirroredList<cl_uint4> found_;
  std::vector<MotionCandidates> candidates_;
};

}  // namespace texcast::compact
