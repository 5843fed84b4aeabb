// regular_file.h — reads whole files, and refuses all that are not regular: opening a FIFO may block for ever, a device
// may be endless, and a folder has no contents.
//
// Thread-safe: functions only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace texcast {

struct RegularFile {
  Descriptor descriptor;  // opened for reading
  uint64_t bytes = 0;     // size when it was opened
};

// A Failure tells why not, without the path: "No such file or directory", "it is a FIFO, not a file". The null device
// counts as an empty file.
Result<RegularFile> open_regular_file(const std::string& path);

// Reads the whole file. Fails as above, and if it has more than `at_most` bytes.
Result<std::string> read_regular_file(const std::string& path, size_t at_most);

}  // namespace texcast
