// key_file.h — the passphrase of a file.
#pragma once

#include <string>

namespace texcast::gstreamer {

// The first line of the file. Throws Error{input} if it cannot be read or is empty.
std::string passphrase_in(const std::string& path);

}  // namespace texcast::gstreamer
