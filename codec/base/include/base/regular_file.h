// regular_file.h — files that are read whole, where nothing but a regular file will do: whoever opens a FIFO may wait
// for ever, a device may have no end, and a folder is none.
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
  Descriptor descriptor;  // for reading
  uint64_t bytes = 0;     // when it was opened
};

// A Failure says why not, without the path: "No such file or directory", "it is a FIFO, not a file". The null device is
// a file with nothing in it.
Result<RegularFile> open_regular_file(const std::string& path);

// All of it. A Failure as above, also where it has more than `at_most` bytes.
Result<std::string> read_regular_file(const std::string& path, size_t at_most);

}  // namespace texcast
