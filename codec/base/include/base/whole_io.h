// whole_io.h — all of some bytes to or from an open file, however often the system does less at a time or is
// interrupted.
//
// Thread-safe: functions only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"

namespace texcast {

// All of `bytes`, at the file's position; or at `offset`, which leaves the position as it is. 0, or an errno.
int write_all(int descriptor, Bytes bytes);
int write_all_at(int descriptor, Bytes bytes, int64_t offset);

// Fills `bytes` from `offset` on, and returns how many bytes that are: fewer where the file ends before. A Failure is
// the system's reason.
Result<size_t> read_all_at(int descriptor, MutableBytes bytes, int64_t offset);

}  // namespace texcast
