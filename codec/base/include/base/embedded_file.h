// embedded_file.h — a source file that is embedded into the program at build time (cmake/texcast_embed.cmake). A module
// that embeds a folder declares `std::span<const EmbeddedFile> embedded_files();` in its namespace.
#pragma once

#include <span>
#include <string_view>

namespace texcast {

struct EmbeddedFile {
  std::string_view name;  // path below the embedded folder
  std::string_view text;
};

}  // namespace texcast
