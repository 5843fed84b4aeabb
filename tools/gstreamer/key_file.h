// key_file.h — the passphrase of a file.
#pragma once

#include <string>

namespace texcast::gstreamer {

// The first line of the file without CR, LF and a UTF-8 byte order mark, as `texcast` reads key files. Throws
// Error{input} if it cannot be read, is empty or has more than 1024 bytes.
std::string passphrase_in(const std::string& path);

}  // namespace texcast::gstreamer
