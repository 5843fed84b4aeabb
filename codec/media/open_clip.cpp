#include "clips.h"
#include "file_names.h"

namespace texcast::media {

std::unique_ptr<ClipReader> open_clip(const std::string& path) {
  return lower_extension(path) == ".dds" ? open_dds_clip(path) : open_muxed_clip(path);
}

bool is_clip(const std::string& path) {
  return lower_extension(path) == ".dds" ? is_dds_clip(path) : is_muxed_clip(path);
}

}  // namespace texcast::media
