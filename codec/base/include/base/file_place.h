// file_place.h — the folder of a file, and the free space there.
//
// Thread-safe: functions only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace texcast {

// The folder part of a file name, or "." if the name has none.
std::filesystem::path folder_of(const std::string& file);

// The bytes that this user may still write on the disk of the file's folder, or nothing if they are not known.
std::optional<int64_t> free_space(const std::string& file);

}  // namespace texcast
