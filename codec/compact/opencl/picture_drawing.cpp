#include "picture_drawing.h"

#include <algorithm>
#include <iterator>

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
      find_colours_(ocl::build_program(queue.device(), "compact/source_texels.cl", "-DCHANNEL=1"), "texels_of_colours"),
      is_uploaded_(static_cast<size_t>(grid.down())) {
  to_upload_.reserve(grid.tiles());
}

void PictureDrawing::upload(const FrameView& picture, std::span<const uint32_t> tiles, HostCopies& copies,
                            Stage& stage) {
  const auto row_of = [&](uint32_t tile) { return tile / static_cast<uint32_t>(grid_.across()); };
  to_upload_.clear();
  std::ranges::copy_if(tiles, std::back_inserter(to_upload_),
                       [&](uint32_t tile) { return is_uploaded_[row_of(tile)] == 0; });
  for (const uint32_t tile : to_upload_) is_uploaded_[row_of(tile)] = 1;
  for_rows(grid_, to_upload_, [&](int first, int last) { upload_rows(picture, first, last, copies, stage); });
}

void PictureDrawing::draw(const TileLists& lists, const SomeTiles& tiles, const RdFrameBuffers& buffers, Stage& stage) {
  set_arguments(draw_, frame_, stages::source_argument(format_), buffers.components[0], lists.device(),
                tiles.list.first, tiles.list.count, buffers.changes, cl_int{tiles.only_changed}, buffers.source_plane,
                buffers.chroma, buffers.texels);
  queue_.launch(draw_, tiles.list.count * buffers.first_sub_blocks(), stage);
}

void PictureDrawing::find_colours(const TileLists& lists, const SomeTiles& tiles, const RdFrameBuffers& buffers,
                                  Stage& stage) {
  constexpr size_t kColumns = 4;
  set_arguments(find_colours_, buffers.components[0], buffers.components[1], buffers.components[2], lists.device(),
                tiles.list.first, tiles.list.count, buffers.changes, cl_int{tiles.only_changed}, buffers.chroma,
                buffers.texels);
  queue_.launch(find_colours_, tiles.list.count * sub_blocks_of_tile(buffers.components[1]) * kColumns, stage);
}

void PictureDrawing::upload_rows(const FrameView& picture, int first, int last, HostCopies& copies, Stage& stage) {
  for (int i = 0; i < plane_count(format_.pixel_format); ++i) {
    const auto plane = static_cast<size_t>(i);
    const int rows = plane_rows(format_, i), down = format_.height > rows ? 2 : 1;
    const int begin = std::min(first * kTileHeight / down, rows), end = std::min((last + 1) * kTileHeight / down, rows);
    if (begin >= end) continue;
    const auto stride = static_cast<size_t>(placed_.stride[plane]);
    const size_t at = static_cast<size_t>(placed_.offset[plane]) + static_cast<size_t>(begin) * stride;
    const PlaneView& from = picture.planes[plane];
    copies.add({.from = from.data + begin * from.stride_bytes,
                .from_stride = from.stride_bytes,
                .to = static_cast<std::byte*>(host_frame_.data()) + at,
                .stride = stride,
                .bytes = static_cast<size_t>(plane_row_bytes(format_, i)),
                .lines = static_cast<size_t>(end - begin),
                .device = &frame_,
                .at = at},
               stage);
  }
}

}  // namespace texcast::compact
