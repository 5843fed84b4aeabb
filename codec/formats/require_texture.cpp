#include "formats/require_texture.h"

#include <algorithm>
#include <string>

#include "base/misuse.h"
#include "frames/require_frame.h"

namespace texcast {

void require_valid(const TextureDesc& desc, const char* function) {
  if (std::ranges::find(formats(), desc.format, &Format::id) == formats().end())
    misused(function, "there is no such texture format");
  if (desc.width < 1 || desc.height < 1 || desc.width > kMaxFrameSize || desc.height > kMaxFrameSize)
    misused(function, "a texture has sides of 1 to 16384 texels");
  if (desc.orientation < Orientation::upright || desc.orientation > Orientation::turned_270)
    misused(function, "there is no such orientation");
  require_valid(desc.color, function);
  require_valid(desc.aspect, function);
}

void require_whole(const TextureView& texture, const char* function) {
  require_valid(texture.desc, function);
  require_room(texture.desc, texture.blocks, function);
}

void require_room(const TextureDesc& desc, std::span<const std::byte> blocks, const char* function) {
  const size_t bytes = texture_layout(desc).total_bytes;
  if (blocks.size() != bytes)
    misused(function, ("the blocks have " + std::to_string(blocks.size()) + " bytes where the texture has " +
                       std::to_string(bytes) + " (texture_layout)")
                          .c_str());
  if (blocks.data() == nullptr) misused(function, "the blocks are a null pointer");
}

}  // namespace texcast
