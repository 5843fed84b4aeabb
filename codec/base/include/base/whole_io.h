// whole_io.h — writes all bytes to an open file, or reads all bytes from it, also if the system transfers fewer at a
// time or is interrupted by signals. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"

namespace texcast {

// Writes `bytes` at the file's position, or at `offset` without moving the position. Returns 0 or an errno.
int write_all(int descriptor, Bytes bytes);
int write_all_at(int descriptor, Bytes bytes, int64_t offset);

// Reads `bytes.size()` bytes from `offset` on, or fewer if the file ends before. Returns their number, or a Failure
// with the system's reason.
Result<size_t> read_all_at(int descriptor, MutableBytes bytes, int64_t offset);

}  // namespace texcast
