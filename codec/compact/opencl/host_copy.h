// host_copy.h — copies to pinned memory, from which a device transfers directly, on several threads: they are faster
// than a driver's single thread.
#pragma once

#include <cstddef>

#include "base/workers.h"

namespace texcast::compact {

// Copies lines of `bytes`, which are `from_stride` apart in the source and `stride` in the destination.
void copy_lines(Workers& workers, size_t lines, size_t stride, size_t bytes, const std::byte* from,
                std::ptrdiff_t from_stride, std::byte* to);

}  // namespace texcast::compact
