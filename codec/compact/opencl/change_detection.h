// change_detection.h — takes over the state of the previous frame, uploads the texture, and finds the tiles that
// changed.
#pragma once

#include <span>

#include "compact/encoder_backend.h"
#include "host_copy.h"
#include "rd_frame_buffers.h"
#include "rd_tables.h"
#include "tile_lists.h"

namespace texcast::compact {

class ChangeDetection {
 public:
  ChangeDetection(const DeviceQueue& queue, const TileGrid& grid, RdFrameBuffers& buffers, const RdTables& tables,
                  TileLists& lists);

  // The frame's texture, source and reconstruction become those with which the next one is compared. `coded`: its coded
  // tiles, with TEXCAST_KEPT_REDRAWN.
  void keep(const FrameOutcome& outcome, const TileList& coded, Stage& stage);
  // Updates the luma of the reference frame in these tiles.
  void draw_reference(const TileList& tiles, Stage& stage);
  // Draws the luma of the texture's blocks.
  void draw_blocks(const TileList& tiles, Stage& stage);
  // Adds the texture to the frame's copies. Returns the list of the tiles to compare.
  TileList upload(const BackendFrame& frame, HostCopies& copies, Stage& stage);
  // Finds RdFrameBuffers::changes.
  void find(const BackendFrame& frame, const TileList& compared, Stage& stage);
  // Valid after DeviceQueue::wait().
  std::span<const TileDifference> differences() const {
    return {static_cast<const TileDifference*>(differences_.data()), grid_.tiles()};
  }

 private:
  void draw(const cl::Buffer& texture, const TileList& tiles, const cl::Buffer& plane, Stage& stage);

  const DeviceQueue& queue_;
  const TileGrid& grid_;
  RdFrameBuffers& buffers_;
  const RdTables& tables_;
  TileLists& lists_;
  cl::Kernel find_changes_, keep_tiles_, draw_plane_;
  PinnedBytes differences_;
};

}  // namespace texcast::compact
