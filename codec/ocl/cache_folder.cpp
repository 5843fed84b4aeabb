// cache_folder.cpp — choose_cache() of ocl/cache.h and cache_folder() of texcast/device.h: selects the folder, with the
// reasons against others.
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "base/file_place.h"
#include "cache_files.h"
#include "ocl/cache.h"

namespace texcast::ocl {
namespace {

namespace fs = std::filesystem;

// PoCL keeps up to a megabyte per program, temporary files included, and one start may build some dozens of programs.
// On a full disk its builds fail, and some of these failures end the process.
constexpr int64_t kLeastRoom = int64_t{32} << 20;

// A reason not to use a folder, as a clause; empty: there is none.
struct Objection {
  std::string text{}, mend{};
  bool is_news = false;
  bool is_full = false;  // there is no room, and nothing else is wrong
};

Objection unwritable() {
  return {.text = "neither XDG_CACHE_HOME nor ~/.cache is writable",
          .mend = "export XDG_CACHE_HOME=FOLDER   # one that is writable and persistent"};
}

// Creates missing folders for this user alone, as the XDG specification requires. False if that fails.
bool make_folders(const fs::path& folder) {
  const auto make = [&] { return mkdir(folder.c_str(), 0700) == 0 && chmod(folder.c_str(), 0700) == 0; };
  if (make() || errno == EEXIST) return true;
  const fs::path parent = folder.parent_path();
  if (errno != ENOENT || parent.empty() || parent == folder || !make_folders(parent)) return false;
  return make();
}

// Whether other users can replace files in the folder. The sticky bit, as in /tmp, prevents that.
bool others_replace_in(const struct stat& folder) {
  return (folder.st_mode & S_IWOTH) != 0 && (folder.st_mode & S_ISVTX) == 0;
}

// The folder need not exist yet.
Objection objection_to_place(const fs::path& folder) {
  std::error_code error;
  fs::path place = fs::weakly_canonical(folder, error);
  if (error) return unwritable();
  struct stat found {};
  const fs::path parent = place.parent_path();
  constexpr uid_t kUnmapped = 65534;  // users that a namespace does not map have this id
  if (stat(parent.c_str(), &found) == 0 && found.st_uid != geteuid() && found.st_uid != 0 && found.st_uid != kUnmapped)
    return {.text = fmt::format("{} belongs to another user", parent.string()),
            .mend = "export XDG_CACHE_HOME=FOLDER   # one of your own",
            .is_news = true};
  while (place != place.parent_path()) {
    place = place.parent_path();
    if (stat(place.c_str(), &found) == 0 && others_replace_in(found))
      return {.text = fmt::format("others can write to {}", place.string()),
              .mend = fmt::format("chmod o-w '{}'", place.string()),
              .is_news = true};
  }
  return {};
}

Objection objection_to_owner(const fs::path& folder) {
  struct stat found {};
  if (stat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return unwritable();
  if (found.st_uid != geteuid())
    return {.text = fmt::format("{} belongs to another user", folder.string()),
            .mend = "export XDG_CACHE_HOME=FOLDER   # one of your own",
            .is_news = true};
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return {
        .text = fmt::format("others can write to {}", folder.string()),
        .mend = fmt::format("rm -r '{}'   # it is created again; files that others have put there must not be executed",
                            folder.string()),
        .is_news = true};
  return {};
}

// Creates the folder if it is missing.
Objection objection_to(const fs::path& folder) {
  if (Objection place = objection_to_place(folder); !place.text.empty()) return place;
  if (!make_folders(folder)) return unwritable();
  if (Objection owner = objection_to_owner(folder); !owner.text.empty()) return owner;
  if (access(folder.c_str(), W_OK | X_OK) != 0) return unwritable();
  const auto room = free_space((folder / "file").string());
  if (room && *room < kLeastRoom)
    return {.text = fmt::format("the disk of {} has {} MB left", folder.string(), *room / 1'000'000),
            .mend = fmt::format("free {} MB there, or: export XDG_CACHE_HOME=FOLDER", kLeastRoom / 1'000'000),
            .is_news = true,
            .is_full = true};
  return {};
}

// Whether the folder was created by this user and is private: in a parent that others can write to, anybody may have
// created it.
bool is_private(const fs::path& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  struct stat found {};
  return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & 077) == 0 && access(folder.c_str(), W_OK | X_OK) == 0;
}

std::optional<fs::path> private_folder() {
  const std::string mine = "texcast-" + std::to_string(geteuid());
  for (const auto& base : {folder_in("XDG_RUNTIME_DIR"), folder_in("TMPDIR"), std::optional<fs::path>("/tmp")}) {
    if (!base || !is_private(*base / mine)) continue;
    const auto room = free_space((*base / mine / "file").string());
    if (!room || *room >= kLeastRoom) return *base / mine;
  }
  return std::nullopt;
}

}  // namespace

// The XDG specification says that relative paths are ignored.
std::optional<fs::path> folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value == '/' ? std::optional<fs::path>(value) : std::nullopt;
}

// A home that does not exist (/nonexistent, of services) is not created.
std::optional<fs::path> usual_base() {
  if (const auto xdg = folder_in("XDG_CACHE_HOME")) return xdg;
  std::error_code ignored;
  const auto home = folder_in("HOME");
  return home && fs::is_directory(*home, ignored) ? std::optional(*home / ".cache") : std::nullopt;
}

bool can_be_written(const fs::path& folder) {
  std::error_code ignored;
  return make_folders(folder) && fs::is_directory(folder, ignored) && access(folder.c_str(), W_OK | X_OK) == 0;
}

bool make_own_folder(const fs::path& folder) {
  if (!make_folders(folder)) return false;
  struct stat found {};
  if (lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != geteuid()) return false;
  return (found.st_mode & 0777) == 0700 || chmod(folder.c_str(), 0700) == 0;
}

std::string danger_of(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder, ignored) ? objection_to_owner(folder).text : "";
}

CacheChoice choose_cache() {
  const auto base = usual_base();
  Objection objection = base ? objection_to(*base / "texcast") : unwritable();
  const CacheChoice usual{.path = base ? (*base / "texcast").string() : "", .usual = true};
  if (objection.text.empty()) return usual;
  CacheChoice choice{.why = objection.text, .mend = objection.mend, .is_news = objection.is_news};
  if (const auto folder = private_folder())
    choice.path = folder->string();
  else if (objection.is_full)
    return usual;  // there is no room anywhere, but files that exist may be usable
  return choice;
}

}  // namespace texcast::ocl

namespace texcast {

CacheFolder cache_folder() {
  const ocl::CacheChoice choice = ocl::choose_cache();
  return {.path = choice.path, .usual = choice.usual};
}

}  // namespace texcast
