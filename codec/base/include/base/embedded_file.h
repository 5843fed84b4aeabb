// embedded_file.h — a file of the sources that is part of the program, as it was when the program was built
// (cmake/texcast_embed.cmake). A room that embeds a folder declares `std::span<const EmbeddedFile> embedded_files();`
// in its namespace.
#pragma once

#include <span>
#include <string_view>

namespace texcast {

struct EmbeddedFile {
  std::string_view name;  // its path below the folder that was embedded
  std::string_view text;
};

}  // namespace texcast
