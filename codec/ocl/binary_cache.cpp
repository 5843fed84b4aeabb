#include "binary_cache.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/core.h>

namespace texcast::ocl {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> cache_folder() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/') return fs::path(xdg) / "texcast";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return fs::path(home) / ".cache/texcast";
  return std::nullopt;
}

// FNV-1a, 64 bits: the same on every build, unlike std::hash.
uint64_t hash(const std::string& text) {
  uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

fs::path file_of(const fs::path& folder, const std::string& key) { return folder / fmt::format("{:016x}.clbin", hash(key)); }

}  // namespace

std::optional<std::vector<unsigned char>> load_cached_binary(const std::string& key) {
  const auto folder = cache_folder();
  if (!folder) return std::nullopt;
  std::ifstream in(file_of(*folder, key), std::ios::binary);
  std::vector<unsigned char> all{std::istreambuf_iterator<char>(in), {}};
  if (all.size() <= key.size() || !std::equal(key.begin(), key.end(), all.begin(), [](char a, unsigned char b) {
        return static_cast<unsigned char>(a) == b;
      }))
    return std::nullopt;
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(key.size()));
  return all;
}

void store_cached_binary(const std::string& key, const std::vector<unsigned char>& binary) {
  const auto folder = cache_folder();
  if (!folder || binary.empty()) return;
  std::error_code ignored;
  fs::create_directories(*folder, ignored);
  // Written beside and renamed, so that another process never reads half a file.
  const fs::path file = file_of(*folder, key);
  const fs::path half = file.string() + fmt::format(".{}", getpid());
  {
    std::ofstream out(half, std::ios::binary);
    out << key;
    out.write(reinterpret_cast<const char*>(binary.data()), static_cast<std::streamsize>(binary.size()));
    if (!out) {
      fs::remove(half, ignored);
      return;
    }
  }
  fs::rename(half, file, ignored);
}

}  // namespace texcast::ocl
