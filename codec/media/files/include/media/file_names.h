// file_names.h — extensions, and numbered names such as "f%05d.dds".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace texcast::media {

std::string lower_extension(const std::string& path);  // ".mov"

// FFmpeg's name of the container that a recording of this name is; nullptr where texcast records none such.
const char* muxer_of(const std::string& path);

// "f00007.dds" of "f%05d.dds"; nothing where the path has no such pattern (exactly one %d or %0Nd).
std::optional<std::string> numbered_name(const std::string& pattern, int64_t number);

}  // namespace texcast::media
