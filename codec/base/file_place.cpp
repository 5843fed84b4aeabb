#include "base/file_place.h"

#include <sys/statvfs.h>

namespace texcast {

std::filesystem::path folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.empty() ? std::filesystem::path(".") : folder;
}

std::optional<int64_t> free_space(const std::string& file) {
  struct statvfs disk {};
  if (statvfs(folder_of(file).c_str(), &disk) != 0 || disk.f_blocks == 0) return std::nullopt;
  return static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
}

}  // namespace texcast
