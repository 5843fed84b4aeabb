#include "clips.h"
#include "file_names.h"

namespace texcast::media {

std::unique_ptr<ClipReader> open_clip(const std::string& path) {
  return lower_extension(path) == ".dds" ? open_dds_clip(path) : open_muxed_clip(path);
}

bool is_clip(const std::string& path) {
  return lower_extension(path) == ".dds" ? is_dds_clip(path) : is_muxed_clip(path);
}

Result<std::optional<ClipFrame>> ClipReader::next() {
  const auto stored = next_stored();
  if (!stored) return stored.error();
  if (!*stored) return std::optional<ClipFrame>();
  const TextureDesc& texture = info().texture;
  blocks_.resize(texture_layout(texture).total_bytes);
  if (const auto unpacked = unpack(**stored, blocks_); !unpacked) return unpacked.error();
  return std::optional(
      ClipFrame{.texture = {texture, blocks_}, .pts = (*stored)->pts, .stored_bytes = (*stored)->stored_bytes});
}

}  // namespace texcast::media
