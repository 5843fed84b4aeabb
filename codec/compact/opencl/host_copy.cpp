#include "host_copy.h"

#include <algorithm>
#include <cstring>

namespace texcast::compact {

void copy_lines(Workers& workers, size_t lines, size_t stride, size_t bytes, const std::byte* from,
                std::ptrdiff_t from_stride, std::byte* to) {
  constexpr size_t kPart = 128 << 10;
  const size_t lines_of_part = std::max<size_t>(1, kPart / bytes), parts = (lines + lines_of_part - 1) / lines_of_part;
  const size_t cuts = lines > 1 ? 1 : (bytes + kPart - 1) / kPart;  // of a single line
  workers.parallel_for(parts * cuts, [&](size_t part) {
    const size_t at = cuts > 1 ? part * kPart : 0, count = cuts > 1 ? std::min(kPart, bytes - at) : bytes;
    const size_t first = cuts > 1 ? 0 : part * lines_of_part;
    for (size_t line = first; line < std::min(first + lines_of_part, lines); ++line)
      std::memcpy(to + line * stride + at, from + static_cast<std::ptrdiff_t>(line) * from_stride + at, count);
  });
}

}  // namespace texcast::compact
