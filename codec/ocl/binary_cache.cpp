#include "binary_cache.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace texcast::ocl {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> cache_folder() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/') return fs::path(xdg) / "texcast";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return fs::path(home) / ".cache/texcast";
  return std::nullopt;
}

// FNV-1a, 64 bits: the same on every build, unlike std::hash.
template <typename Container>
uint64_t hash(const Container& bytes) {
  uint64_t h = 0xcbf29ce484222325;
  for (const auto c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

// A file is the key, then the hash of the binary in 16 hexadecimal digits, then the binary. Drivers crash on a binary
// that was cut short (PoCL 3.1 does), so they never get to see one.
template <typename Container>
std::string heading(const std::string& key, const Container& binary) {
  return key + fmt::format("\n{:016x}\n", hash(binary));
}

fs::path file_of(const fs::path& folder, const std::string& key) {
  return folder / fmt::format("{:016x}.clbin", hash(key));
}

}  // namespace

std::optional<std::vector<unsigned char>> load_cached_binary(const std::string& key) {
  const auto folder = cache_folder();
  if (!folder) return std::nullopt;
  std::ifstream in(file_of(*folder, key), std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  const size_t heading_bytes = heading(key, std::string()).size();
  if (all.size() <= heading_bytes) return std::nullopt;
  std::vector<unsigned char> binary(all.begin() + static_cast<std::ptrdiff_t>(heading_bytes), all.end());
  if (all.compare(0, heading_bytes, heading(key, binary)) != 0) return std::nullopt;
  return binary;
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
    out << heading(key, binary);
    out.write(reinterpret_cast<const char*>(binary.data()), static_cast<std::streamsize>(binary.size()));
    if (!out) {
      fs::remove(half, ignored);
      return;
    }
  }
  fs::rename(half, file, ignored);
}

}  // namespace texcast::ocl
