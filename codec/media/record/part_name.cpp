#include <fmt/core.h>

#include <algorithm>

#include "media/recorder.h"

namespace texcast::media {

std::string part_name(const std::string& path, size_t part) {
  if (part <= 1) return path;
  const size_t name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  const size_t dot = std::max(path.rfind('.') == std::string::npos ? path.size() : path.rfind('.'), name);
  return fmt::format("{}-{}{}", path.substr(0, dot), part, path.substr(dot));
}

}  // namespace texcast::media
