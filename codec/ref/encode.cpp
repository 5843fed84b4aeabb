#include "ref/encode.h"

#include "base/misuse.h"
#include "block_codecs.h"
#include "formats/require_texture.h"

namespace texcast::ref {

void encode(const FrameView& frame, TextureFormat format, Method method, std::span<std::byte> blocks,
            const MethodOptions& options) {
  if (const auto reason = why_not(format, {}, method, options)) misused(__func__, reason->c_str());
  const FrameReader reader(frame);
  require_room({.format = format, .width = frame.format.width, .height = frame.format.height}, blocks, __func__);
  const TextureLayout layout = texture_layout(format, frame.format.width, frame.format.height);
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(blocks.data()), blocks.size());
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p) {
    const PlaneLayout& plane = layout.planes[p];
    const PlaneCodec& codec = block_codecs(format).planes[p];
    const auto block_bytes = static_cast<size_t>(plane.block_bytes);
    BlockTask task{.frame = reader, .plane = format_row(format).planes[p], .method = method, .options = options};
    size_t at = plane.offset;
    for (task.y = 0; task.y < plane.blocks_y; ++task.y)
      for (task.x = 0; task.x < plane.blocks_x; ++task.x, at += block_bytes)
        codec.encode(task, bytes.subspan(at, block_bytes));
  }
}

}  // namespace texcast::ref
