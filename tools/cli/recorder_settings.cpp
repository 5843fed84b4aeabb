#include "cli/recorder_settings.h"

#include <fmt/core.h>

#include "base/error.h"

namespace texcast::cli {

media::RecorderSettings recorder_settings(const std::string& path, const PackingOptions& packing) {
  if (packing.chunks && !packing.snappy)
    throw Error(ErrorKind::usage, "--chunks is for what Snappy compresses: not with --snappy off");
  if (packing.chunks && !path.ends_with(".mov") && !path.ends_with(".mkv"))
    throw Error(ErrorKind::usage, fmt::format("--chunks is for .mov and .mkv, not for '{}'", path));
  return {.path = path, .snappy = packing.snappy, .chunks = packing.chunks.value_or(0), .zstd = packing.zstd};
}

stream::LayoutSettings layout_settings(const StreamOptions& options) {
  return {.layout = options.packing.layout, .device = options.device};
}

}  // namespace texcast::cli
