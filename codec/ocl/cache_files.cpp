#include "cache_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <span>
#include <system_error>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "base/whole_io.h"
#include "ocl/cache.h"

namespace texcast::ocl {

namespace fs = std::filesystem;

std::optional<std::string> read_own_file(const fs::path& file, size_t at_most) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat found {};
  if (!descriptor.valid() || fstat(descriptor.get(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  if (found.st_uid != geteuid() || (found.st_mode & (S_IWGRP | S_IWOTH)) != 0) return std::nullopt;
  if (static_cast<uint64_t>(found.st_size) > at_most) return std::nullopt;
  std::string bytes(static_cast<size_t>(found.st_size), '\0');
  const auto have = read_all_at(descriptor.get(), std::as_writable_bytes(std::span(bytes)), 0);
  if (!have || *have < bytes.size()) return std::nullopt;
  return bytes;
}

void write_own_file(const fs::path& file, std::string_view bytes) {
  std::string half = file.string() + ".XXXXXX";
  Descriptor descriptor(::mkostemp(half.data(), O_CLOEXEC));
  if (!descriptor.valid()) return;
  const bool is_written = fchmod(descriptor.get(), 0600) == 0 && write_all(descriptor.get(), as_bytes_of(bytes)) == 0;
  if (descriptor.close() == 0 && is_written && ::rename(half.c_str(), file.c_str()) == 0) return;
  ::unlink(half.c_str());
}

std::optional<std::string> read_cache_file(const std::string& name, size_t at_most) {
  const CacheChoice choice = choose_cache();
  return choice.path.empty() ? std::nullopt : read_own_file(fs::path(choice.path) / name, at_most);
}

void write_cache_file(const std::string& name, std::string_view bytes) {
  const CacheChoice choice = choose_cache();
  if (!choice.path.empty()) write_own_file(fs::path(choice.path) / name, bytes);
}

void remove_cache_file(const std::string& name) {
  const CacheChoice choice = choose_cache();
  std::error_code ignored;
  if (!choice.path.empty()) fs::remove(fs::path(choice.path) / name, ignored);
}

}  // namespace texcast::ocl
