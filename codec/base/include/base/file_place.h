// file_place.h — where a file is or is to be, and what there is room for.
//
// Thread-safe: functions only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace texcast {

// The folder in the name of a file; "." where the name has none.
std::filesystem::path folder_of(const std::string& file);

// What is left for us on the disk of the file's folder, in bytes; nothing where it is not known.
std::optional<int64_t> free_space(const std::string& file);

}  // namespace texcast
