// clip_input.h — texture files as the command line opens them.
#pragma once

#include <memory>
#include <string>

#include "media/clip_reader.h"

namespace texcast::cli {

// Throws Error{input}: no such file, or ordinary video and pictures (with what to do instead); Error{corrupt}.
std::unique_ptr<media::ClipReader> open_texture_file(const std::string& path);

}  // namespace texcast::cli
