// picture_drawing.h — draws tiles of a picture as luma and chroma.
#pragma once

#include <span>

#include "host_copy.h"
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
  // Adds the rows that have some of `tiles` to the frame's copies, unless they were added before.
  void upload(const FrameView& picture, std::span<const uint32_t> tiles, HostCopies& copies, Stage& stage);
  // Draws tiles whose rows are uploaded into the source plane and chroma of `buffers`, and finds the texels that these
  // tiles approximate.
  void draw(const TileLists& lists, const SomeTiles& tiles, const RdFrameBuffers& buffers, Stage& stage);
  void find_colours(const TileLists& lists, const SomeTiles& tiles, const RdFrameBuffers& buffers, Stage& stage);

 private:
  void upload_rows(const FrameView& picture, int first, int last, HostCopies& copies, Stage& stage);

  const DeviceQueue& queue_;
  const TileGrid& grid_;
  const FrameFormat format_;
  const FramePlacement placed_;
  cl::Buffer frame_;
  PinnedBytes host_frame_;
  cl::Kernel draw_, find_colours_;
  std::vector<uint8_t> is_uploaded_;  // of each row of tiles in this frame
  std::vector<uint32_t> to_upload_;   // tiles
};

}  // namespace texcast::compact
