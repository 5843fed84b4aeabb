#include "ocl/cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

namespace texcast::ocl {
namespace {

namespace fs = std::filesystem;

// Of an environment variable that names a folder; the XDG specification has relative paths ignored.
std::optional<fs::path> folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value == '/' ? std::optional<fs::path>(value) : std::nullopt;
}

bool can_be_written(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  return fs::is_directory(folder, ignored) && access(folder.c_str(), W_OK | X_OK) == 0;
}

// Where caches of this user usually are. A home that does not exist (/nonexistent, of services) is not made.
std::optional<fs::path> usual_base() {
  if (const auto xdg = folder_in("XDG_CACHE_HOME")) return xdg;
  std::error_code ignored;
  const auto home = folder_in("HOME");
  return home && fs::is_directory(*home, ignored) ? std::optional(*home / ".cache") : std::nullopt;
}

// Made for us alone, or found so: in a folder that others write to, anybody may have made it, and drivers run what lies
// in their caches.
bool is_private(const fs::path& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  struct stat found = {};
  return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & 077) == 0 && access(folder.c_str(), W_OK | X_OK) == 0;
}

std::optional<fs::path> private_folder() {
  const std::string mine = "texcast-" + std::to_string(geteuid());
  for (const auto& base : {folder_in("XDG_RUNTIME_DIR"), folder_in("TMPDIR"), std::optional<fs::path>("/tmp")})
    if (base && is_private(*base / mine)) return *base / mine;
  return std::nullopt;
}

std::optional<fs::path> usable_folder() {
  if (const auto base = usual_base(); base && can_be_written(*base / "texcast")) return *base / "texcast";
  return private_folder();
}

// PoCL's own folder, where it is.
std::optional<fs::path> note_of(const std::string& key) {
  auto folder = folder_in("POCL_CACHE_DIR");
  if (!folder)
    if (const auto base = usual_base()) folder = *base / "pocl" / "kcache";
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "texcast-%016llx", static_cast<unsigned long long>(cache_hash(key)));
  return folder ? std::optional(*folder / name.data()) : std::nullopt;
}

}  // namespace

uint64_t cache_hash(std::string_view bytes) {
  uint64_t h = 0xcbf29ce484222325;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

std::optional<std::string> read_cache_file(const std::string& name, size_t at_most) {
  const auto folder = usable_folder();
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
  const auto folder = usable_folder();
  if (!folder) return;
  std::error_code ignored;
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

// PoCL has no device at all where it cannot write its cache.
void give_drivers_a_cache() {
  static std::once_flag once;
  std::call_once(once, [] {
    constexpr const char* kPocl = "POCL_CACHE_DIR";
    if (std::getenv(kPocl) != nullptr) return;
    if (const auto base = usual_base(); base && can_be_written(*base / "pocl" / "kcache")) return;
    if (const auto folder = usable_folder()) setenv(kPocl, (*folder / "pocl").c_str(), 0);
  });
}

std::string driver_cache_complaint() {
  const auto pocl = folder_in("POCL_CACHE_DIR");
  if (pocl && !can_be_written(*pocl))
    return "POCL_CACHE_DIR, '" + pocl->string() + "', cannot be written, and PoCL has no device then";
  if (!pocl && !usable_folder())
    return "no folder for a cache can be written, and PoCL has no device then: set XDG_CACHE_HOME to one that can be";
  return {};
}

bool keeps_programs(const DeviceInfo& device) { return device.platform == "Portable Computing Language"; }

bool has_program_note(const std::string& key) {
  const auto file = note_of(key);
  std::error_code ignored;
  return file && fs::is_regular_file(*file, ignored);
}

void write_program_note(const std::string& key) {
  if (const auto file = note_of(key)) std::ofstream(*file) << key;
}

std::string device_key(const DeviceInfo& device) {
  return device.platform + "\n" + device.version + "\n" + device.name + "\n" + device.driver + "\n";
}

}  // namespace texcast::ocl

namespace texcast {

CacheFolder cache_folder() {
  const auto folder = ocl::usable_folder();
  if (!folder) return {};
  const auto base = ocl::usual_base();
  return {.path = *folder, .usual = base && *folder == *base / "texcast"};
}

}  // namespace texcast
