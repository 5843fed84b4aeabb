#include "ocl/cache.h"

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

}  // namespace

uint64_t cache_hash(std::string_view bytes) {
  uint64_t h = 0xcbf29ce484222325;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

std::optional<std::string> read_cache_file(const std::string& name, size_t at_most) {
  const auto folder = cache_folder();
  if (!folder) return std::nullopt;
  std::ifstream in(*folder / name, std::ios::binary | std::ios::ate);
  if (!in) return std::nullopt;
  const auto size = static_cast<std::streamoff>(in.tellg());
  if (size < 0 || static_cast<uint64_t>(size) > at_most) return std::nullopt;
  std::string bytes(static_cast<size_t>(size), '\0');
  in.seekg(0);
  if (!in.read(bytes.data(), size)) return std::nullopt;
  return bytes;
}

void write_cache_file(const std::string& name, std::string_view bytes) {
  const auto folder = cache_folder();
  if (!folder) return;
  std::error_code ignored;
  fs::create_directories(*folder, ignored);
  const fs::path file = *folder / name;
  const fs::path half = file.string() + "." + std::to_string(getpid());
  {
    std::ofstream out(half, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) {
      fs::remove(half, ignored);
      return;
    }
  }
  fs::rename(half, file, ignored);
}

std::string device_key(const DeviceInfo& device) {
  return device.platform + "\n" + device.version + "\n" + device.name + "\n" + device.driver + "\n";
}

}  // namespace texcast::ocl
