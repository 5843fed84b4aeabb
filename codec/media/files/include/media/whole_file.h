// whole_file.h — one file written in one go.
#pragma once

#include <initializer_list>
#include <string>

#include "base/bytes.h"

namespace texcast::media {

// Replaces the file. Throws Error{failed} with the system's reason, also for what shows only at the end (a full disk).
void write_whole_file(const std::string& path, std::initializer_list<Bytes> pieces);

}  // namespace texcast::media
