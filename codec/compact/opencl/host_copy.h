// host_copy.h — copies to pinned memory, from which a device transfers directly, on several threads: they are faster
// than a driver's single thread.
#pragma once

#include <cstddef>
#include <functional>

#include "base/workers.h"

namespace texcast::compact {

// Copies lines of `bytes`, which are `from_stride` apart in the source and `stride` in the destination. It does so in
// parts, so that a device transfers a part while the next ones are copied. The calling thread calls
// `upload(at, bytes)`, which starts the transfer of the part at `to + at`, as soon as a part is there.
void copy_in_parts(Workers& workers, size_t lines, size_t stride, size_t bytes, const std::byte* from,
                   std::ptrdiff_t from_stride, std::byte* to, const std::function<void(size_t, size_t)>& upload);
// The same for bytes without gaps.
void copy_in_parts(Workers& workers, size_t bytes, const std::byte* from, std::byte* to,
                   const std::function<void(size_t, size_t)>& upload);

}  // namespace texcast::compact
