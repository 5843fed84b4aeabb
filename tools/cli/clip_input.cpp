#include "cli/clip_input.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace texcast::cli {

std::unique_ptr<media::ClipReader> open_texture_file(const std::string& path) {
  // A pattern (frame_%05d.dds) names no file of its own.
  if (path.find('%') == std::string::npos) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      throw Error(ErrorKind::input, fmt::format("{} is a folder; give a texture file", path));
    errno = 0;
    if (!std::ifstream(path))
      throw Error(ErrorKind::input, fmt::format("cannot open {}: {}", path, std::strerror(errno)));
    if (!media::is_clip(path)) {
      throw Error(ErrorKind::input,
                  fmt::format("{} is no texture file; make one of it with `texcast encode {} out.mov`", path, path));
    }
  }
  return media::open_clip(path);
}

}  // namespace texcast::cli
