// cache_files.h — where caches are, by the environment, and files of a cache by their path.
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
// Whether one can write to a folder, which is made where it is missing.
bool can_be_written(const std::filesystem::path& folder);
// Makes a folder for this user alone; false where what is there is something else.
bool make_own_folder(const std::filesystem::path& folder);
// Why what lies in a folder is not to be run, as a clause; empty: it is this user's, and nobody else writes there.
std::string danger_of(const std::filesystem::path& folder);

// As read_cache_file() and write_cache_file() of ocl/cache.h.
std::optional<std::string> read_own_file(const std::filesystem::path& file, size_t at_most);
void write_own_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace texcast::ocl
