// host_copy.h — copies to memory that a device transfers from by itself, on several threads: they are quicker than the
// one that a driver has.
#pragma once

#include <cstddef>

#include "base/workers.h"

namespace texcast::compact {

// Lines of `bytes`, which are `from_stride` apart in the source and `stride` in the destination.
void copy_lines(Workers& workers, size_t lines, size_t stride, size_t bytes, const std::byte* from,
                std::ptrdiff_t from_stride, std::byte* to);

}  // namespace texcast::compact
