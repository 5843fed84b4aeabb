// cache_files.h — finds the folders for caches from the environment, and reads and writes cache files by path.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace texcast::ocl {

// The absolute path in an environment variable.
std::optional<std::filesystem::path> folder_in(const char* variable);
// The folder in which this user's programs keep their caches.
std::optional<std::filesystem::path> usual_base();
// Whether the folder is writable. It is created if it is missing.
bool can_be_written(const std::filesystem::path& folder);
// Creates a folder for this user alone. False if something else has the name.
bool make_own_folder(const std::filesystem::path& folder);
// Why files of the folder must not be executed, as a clause; empty if it belongs to this user and nobody else can write
// to it.
std::string danger_of(const std::filesystem::path& folder);

// As read_cache_file() and write_cache_file() of ocl/cache.h.
std::optional<std::string> read_own_file(const std::filesystem::path& file, size_t at_most);
void write_own_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace texcast::ocl
