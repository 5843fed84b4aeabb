// host_copy.h — copies to pinned memory, from which a device transfers directly, on several threads: they are faster
// than a driver's single thread.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/workers.h"

namespace texcast::compact {

// Copies lines of `bytes`, which are `from_stride` apart in the source and `stride` in the destination.
void copy_lines(Workers& workers, size_t lines, size_t stride, size_t bytes, const std::byte* from,
                std::ptrdiff_t from_stride, std::byte* to);

// The same in parts, so that a device transfers a part while the next one is copied. `upload(at, bytes)` starts the
// transfer of the part at `to + at`.
template <typename Upload>
void copy_in_parts(Workers& workers, size_t lines, size_t stride, size_t bytes, const std::byte* from,
                   std::ptrdiff_t from_stride, std::byte* to, const Upload& upload) {
  constexpr size_t kPart = 2 << 20;
  const size_t lines_of_part = std::max<size_t>(1, kPart / bytes);
  for (size_t first = 0; first < lines; first += lines_of_part) {
    const size_t count = std::min(lines_of_part, lines - first), at = first * stride;
    copy_lines(workers, count, stride, bytes, from + static_cast<std::ptrdiff_t>(first) * from_stride, from_stride,
               to + at);
    upload(at, (count - 1) * stride + bytes);
  }
}
// The same for bytes without gaps.
template <typename Upload>
void copy_in_parts(Workers& workers, size_t bytes, const std::byte* from, std::byte* to, const Upload& upload) {
  constexpr size_t kLine = 128 << 10;
  const size_t lines = bytes / kLine, rest = bytes % kLine;
  copy_in_parts(workers, lines, kLine, kLine, from, kLine, to, upload);
  if (rest == 0) return;
  const size_t at = lines * kLine;
  copy_lines(workers, 1, 0, rest, from + at, 0, to + at);
  upload(at, rest);
}

}  // namespace texcast::compact
