// picture_drawing.h — draws tiles of a picture as luma and chroma.
#pragma once

#include <span>

#include "base/workers.h"
#include "rd_frame_buffers.h"
#include "stages/source_argument.h"
#include "stages/stage.h"
#include "texcast/frame.h"
#include "tile_lists.h"

namespace texcast::compact {

// For pictures of one format.
class PictureDrawing {
 public:
  PictureDrawing(const DeviceQueue& queue, const TileGrid& grid, const FrameFormat& format);
  const FrameFormat& format() const { return format_; }
  void begin_frame() { std::ranges::fill(is_uploaded_, uint8_t{0}); }
  // Uploads the rows that have some of `tiles`, unless they are there.
  void upload(const FrameView& picture, std::span<const uint32_t> tiles, Workers& workers, Stage& stage);
  // Draws into the source plane and chroma of `buffers`. Uploads the rows that have `drawn` tiles; `list` lists these.
  void draw(const FrameView& picture, std::span<const uint32_t> drawn, const TileLists& lists, const TileList& list,
            const RdFrameBuffers& buffers, Workers& workers, Stage& stage);

 private:
  void upload_rows(const FrameView& picture, int first, int last, Workers& workers, Stage& stage);

  const DeviceQueue& queue_;
  const TileGrid& grid_;
  const FrameFormat format_;
  const FramePlacement placed_;
  cl::Buffer frame_;
  PinnedBytes host_frame_;
  cl::Kernel draw_;
  std::vector<uint8_t> is_uploaded_;  // of each row of tiles in this frame
  std::vector<uint32_t> to_upload_;   // tiles
};

}  // namespace texcast::compact
