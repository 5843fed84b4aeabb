// window_search.h — motion candidates of changed tiles, by windows of the previous source that are found again
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

  // `entries`: of the previous source; empty: there was none.
  void start(std::span<const uint32_t> entries);
  // Starts to look for the windows of the changed tiles.
  void find(const TileList& changed, Stage& stage);
  // Adds their windows to the index, for the next frame.
  void index(const TileList& changed, Stage& stage);
  // The candidates of a frame without a reference.
  std::span<const MotionCandidates> none(size_t changed);
  // What find() found, after that.
  std::span<const MotionCandidates> candidates(size_t changed);

 private:
  const DeviceQueue& queue_;
  const RdFrameBuffers& buffers_;
  const TileLists& lists_;
  cl::Kernel vote_, put_;
  const cl_int shift_;  // of a hash, for its bucket
  const size_t index_bytes_;
  cl::Buffer index_, latest_;
  MirroredList<cl_uint4> winners_;
  std::vector<MotionCandidates> candidates_;
};

}  // namespace texcast::compact
