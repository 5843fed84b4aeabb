#include "media/file_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "media/ffmpeg.h"

namespace texcast::media {

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

const char* muxer_of(const std::string& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".mov") return "mov";
  return extension == ".mkv" ? "matroska" : nullptr;
}

std::optional<std::string> numbered_name(const std::string& pattern, int64_t number) {
  std::array<char, 4096> name{};
  if (av_get_frame_filename(name.data(), name.size(), pattern.c_str(), static_cast<int>(number)) < 0)
    return std::nullopt;
  return name.data();
}

}  // namespace texcast::media
