#include "media/still_file.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "media/file_names.h"

namespace texcast::media {
namespace {

// The largest picture with three layers of 16-byte blocks and its mip levels, and then some.
constexpr uintmax_t kMaxStillBytes = uintmax_t{2} << 30;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

std::optional<container::StillKind> still_kind(const std::string& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".dds") return container::StillKind::dds;
  if (extension == ".ktx2") return container::StillKind::ktx2;
  return std::nullopt;
}

const char* name(container::StillKind kind) { return kind == container::StillKind::dds ? "dds" : "ktx2"; }

Result<void> read_whole_file(const std::string& path, std::vector<std::byte>& bytes) {
  const auto failed = [&] { return Failure{fmt::format("cannot read '{}': {}", path, std::strerror(errno))}; };
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) return Failure{fmt::format("cannot open '{}': {}", path, std::strerror(errno))};
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return Failure{fmt::format("cannot read '{}': {}", path, error.message())};
  if (size > kMaxStillBytes)
    return Failure{fmt::format("'{}' has {} bytes; one texture has {} at most", path, size, kMaxStillBytes)};
  bytes.resize(static_cast<size_t>(size));
  const size_t have = std::fread(bytes.data(), 1, bytes.size(), file.get());
  if (have < bytes.size() && std::ferror(file.get()) != 0) return failed();
  bytes.resize(have);
  return {};
}

}  // namespace texcast::media
