#include "ref/encode.h"

#include <algorithm>

#include "base/ensure.h"
#include "base/misuse.h"
#include "block_codecs.h"
#include "formats/require_texture.h"

namespace texcast::ref {

int block_rows(TextureFormat format, int width, int height) {
  const TextureLayout layout = texture_layout(format, width, height);
  int rows = 0;
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p) rows += layout.planes[p].blocks_y;
  return rows;
}

RowPlace row_place(const TextureLayout& layout, int row) {
  ENSURE(row >= 0);
  size_t p = 0;
  for (; row >= layout.planes[p].blocks_y; ++p) {
    row -= layout.planes[p].blocks_y;
    ENSURE(p + 1 < static_cast<size_t>(layout.plane_count));
  }
  return {p, row};
}

namespace {

// Encodes blocks of a row from `first` on, as many as `blocks` has room for.
void encode_into(const FrameView& frame, TextureFormat format, Method method, std::span<std::byte> blocks,
                 const MethodOptions& options, const RowPlace& place, int first) {
  const TextureLayout layout = texture_layout(format, frame.format.width, frame.format.height);
  const PlaneCodec& codec = block_codecs(format).planes[place.plane];
  const FrameReader reader(frame);
  ChromaArea last_area;
  BlockTask task{.frame = reader,
                 .plane = format_row(format).planes[place.plane],
                 .chroma = format_row(format).planes[static_cast<size_t>(layout.plane_count - 1)],
                 .x = first,
                 .y = place.row,
                 .method = method,
                 .options = options,
                 .last_area = &last_area};
  const auto block_bytes = static_cast<size_t>(layout.planes[place.plane].block_bytes);
  std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(blocks.data()), blocks.size());
  for (; bytes.size() >= block_bytes; ++task.x, bytes = bytes.subspan(block_bytes))
    codec.encode(task, bytes.first(block_bytes));
}

}  // namespace

void encode_blocks(const FrameView& frame, TextureFormat format, Method method, std::span<std::byte> blocks,
                   const MethodOptions& options, const RowPlace& place, int first, int count) {
  const TextureLayout layout = texture_layout(format, frame.format.width, frame.format.height);
  const PlaneLayout& plane = layout.planes[place.plane];
  ENSURE(blocks.size() == layout.total_bytes && place.row < plane.blocks_y && first >= 0);
  const auto block_bytes = static_cast<size_t>(plane.block_bytes);
  const size_t block =
      static_cast<size_t>(place.row) * static_cast<size_t>(plane.blocks_x) + static_cast<size_t>(first);
  const auto there = static_cast<size_t>(std::max(0, std::min(count, plane.blocks_x - first)));
  if (there == 0) return;
  encode_into(frame, format, method, blocks.subspan(plane.offset + block * block_bytes, there * block_bytes), options,
              place, first);
}

void encode_block(const FrameView& frame, TextureFormat format, Method method, std::span<std::byte> block,
                  const MethodOptions& options, const RowPlace& place, int column) {
  const PlaneLayout plane = texture_layout(format, frame.format.width, frame.format.height).planes[place.plane];
  ENSURE(block.size() == static_cast<size_t>(plane.block_bytes) && place.row < plane.blocks_y &&
         column < plane.blocks_x);
  encode_into(frame, format, method, block, options, place, column);
}

void encode_row(const FrameView& frame, TextureFormat format, Method method, std::span<std::byte> blocks,
                const MethodOptions& options, int row) {
  const TextureLayout layout = texture_layout(format, frame.format.width, frame.format.height);
  const RowPlace place = row_place(layout, row);
  encode_blocks(frame, format, method, blocks, options, place, 0, layout.planes[place.plane].blocks_x);
}

void encode(const FrameView& frame, TextureFormat format, Method method, std::span<std::byte> blocks,
            const MethodOptions& options) {
  if (const auto reason = why_not(format, {}, method, options)) misused(__func__, reason->c_str());
  require_room({.format = format, .width = frame.format.width, .height = frame.format.height}, blocks, __func__);
  const int rows = block_rows(format, frame.format.width, frame.format.height);
  for (int row = 0; row < rows; ++row) encode_row(frame, format, method, blocks, options, row);
}

}  // namespace texcast::ref
