#include "picture_drawing.h"

#include <algorithm>
#include <iterator>

#include "host_copy.h"
#include "ocl/program.h"

namespace texcast::compact {

PictureDrawing::PictureDrawing(const DeviceQueue& queue, const TileGrid& grid, const FrameFormat& format)
    : queue_(queue),
      grid_(grid),
      format_(format),
      placed_(place_frame(format)),
      frame_(queue.device().context(), CL_MEM_READ_ONLY, placed_.padded_bytes),
      host_frame_(queue.device(), queue.commands(), placed_.padded_bytes),
      draw_(ocl::build_program(queue.device(), "compact/source_picture.cl", stages::source_defines(format)),
            "draw_source"),
      is_uploaded_(static_cast<size_t>(grid.down())) {
  to_upload_.reserve(grid.tiles());
}

void PictureDrawing::upload(const FrameView& picture, std::span<const uint32_t> tiles, Workers& workers, Stage& stage) {
  const auto row_of = [&](uint32_t tile) { return tile / static_cast<uint32_t>(grid_.across()); };
  to_upload_.clear();
  std::ranges::copy_if(tiles, std::back_inserter(to_upload_),
                       [&](uint32_t tile) { return is_uploaded_[row_of(tile)] == 0; });
  for (const uint32_t tile : to_upload_) is_uploaded_[row_of(tile)] = 1;
  for_rows(grid_, to_upload_, [&](int first, int last) { upload_rows(picture, first, last, workers, stage); });
}

void PictureDrawing::draw(const FrameView& picture, std::span<const uint32_t> drawn, const TileLists& lists,
                          const TileList& list, const RdFrameBuffers& buffers, Workers& workers, Stage& stage) {
  upload(picture, drawn, workers, stage);
  set_arguments(draw_, frame_, stages::source_argument(format_), buffers.components[0], lists.device(), list.first,
                list.count, buffers.source_plane, buffers.chroma);
  queue_.launch(draw_, list.count * buffers.first_sub_blocks(), stage);
}

void PictureDrawing::upload_rows(const FrameView& picture, int first, int last, Workers& workers, Stage& stage) {
  for (int i = 0; i < plane_count(format_.pixel_format); ++i) {
    const auto plane = static_cast<size_t>(i);
    const int rows = plane_rows(format_, i), down = format_.height > rows ? 2 : 1;
    const int begin = std::min(first * kTileHeight / down, rows), end = std::min((last + 1) * kTileHeight / down, rows);
    if (begin >= end) continue;
    const auto bytes = static_cast<size_t>(plane_row_bytes(format_, i));
    const auto lines = static_cast<size_t>(end - begin), stride = static_cast<size_t>(placed_.stride[plane]);
    const size_t at = static_cast<size_t>(placed_.offset[plane]) + static_cast<size_t>(begin) * stride;
    const PlaneView& from = picture.planes[plane];
    std::byte* const host = static_cast<std::byte*>(host_frame_.data()) + at;
    copy_in_parts(workers, lines, stride, bytes, from.data + begin * from.stride_bytes, from.stride_bytes, host,
                  [&](size_t part, size_t count) {
                    queue_.upload(frame_, at + part, count, host + part, stage);
                    queue_.commands().flush();
                  });
  }
}

}  // namespace texcast::compact
