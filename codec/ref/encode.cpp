#include "ref/encode.h"

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

void encode_row(const FrameView& frame, TextureFormat format, Method method, std::span<std::byte> blocks,
                const MethodOptions& options, int row) {
  const TextureLayout layout = texture_layout(format, frame.format.width, frame.format.height);
  ENSURE(blocks.size() == layout.total_bytes && row >= 0);
  size_t p = 0;
  for (; row >= layout.planes[p].blocks_y; ++p) {
    row -= layout.planes[p].blocks_y;
    ENSURE(p + 1 < static_cast<size_t>(layout.plane_count));
  }
  const PlaneLayout& plane = layout.planes[p];
  const PlaneCodec& codec = block_codecs(format).planes[p];
  const FrameReader reader(frame);
  BlockTask task{
      .frame = reader, .plane = format_row(format).planes[p], .y = row, .method = method, .options = options};
  const auto block_bytes = static_cast<size_t>(plane.block_bytes);
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(blocks.data()), blocks.size());
  size_t at = plane.offset + static_cast<size_t>(row) * static_cast<size_t>(plane.blocks_x) * block_bytes;
  for (; task.x < plane.blocks_x; ++task.x, at += block_bytes) codec.encode(task, bytes.subspan(at, block_bytes));
}

void encode(const FrameView& frame, TextureFormat format, Method method, std::span<std::byte> blocks,
            const MethodOptions& options) {
  if (const auto reason = why_not(format, {}, method, options)) misused(__func__, reason->c_str());
  require_room({.format = format, .width = frame.format.width, .height = frame.format.height}, blocks, __func__);
  const int rows = block_rows(format, frame.format.width, frame.format.height);
  for (int row = 0; row < rows; ++row) encode_row(frame, format, method, blocks, options, row);
}

}  // namespace texcast::ref
