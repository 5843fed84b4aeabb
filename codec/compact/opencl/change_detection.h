// change_detection.h — takes over the state of the previous frame, uploads the texture, and finds the tiles that
// changed.
#pragma once

#include <span>

#include "compact/encoder_backend.h"
#include "rd_frame_buffers.h"
#include "tile_lists.h"

namespace texcast::compact {

class ChangeDetection {
 public:
  ChangeDetection(const DeviceQueue& queue, const TileGrid& grid, RdFrameBuffers& buffers, TileLists& lists);

  // The frame's texture, source and reconstruction become those with which the next one is compared.
  void keep(const FrameOutcome& outcome, Stage& stage);
  // Updates the luma of the reference frame in these tiles.
  void draw_reference(const TileList& tiles, Stage& stage);
  // Draws the luma of the texture's blocks.
  void draw_blocks(const TileList& tiles, Stage& stage);
  void find(const BackendFrame& frame, Workers& workers, Stage& stage);
  // Valid after DeviceQueue::wait().
  std::span<const TileDifference> differences() const { return differences_.host(); }

 private:
  void draw(const cl::Buffer& texture, const TileList& tiles, const cl::Buffer& plane, Stage& stage);
  void keep_sub_blocks(const TileList& tiles, const cl::Buffer& from, const cl::Buffer& to, Stage& stage);

  const DeviceQueue& queue_;
  const TileGrid& grid_;
  RdFrameBuffers& buffers_;
  TileLists& lists_;
  cl::Kernel find_changes_, keep_sub_blocks_, keep_plane_, draw_plane_;
  MirroredList<TileDifference> differences_;
};

}  // namespace texcast::compact
