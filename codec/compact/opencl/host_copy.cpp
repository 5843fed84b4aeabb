#include "host_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace texcast::compact {
namespace {

// Only the device reads the copy. Stores that bypass the caches do not read memory that is overwritten, and leave the
// caches to the rest of the frame.
void copy_past_caches(std::byte* to, const std::byte* from, size_t bytes) {
#if defined(__SSE2__)
  constexpr size_t kVector = 16;
  const size_t head = std::min(bytes, -reinterpret_cast<uintptr_t>(to) % kVector);
  std::memcpy(to, from, head);
  size_t at = head;
  for (; at + kVector <= bytes; at += kVector)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  _mm_sfence();
  std::memcpy(to + at, from + at, bytes - at);
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace

void copy_lines(Workers& workers, size_t lines, size_t stride, size_t bytes, const std::byte* from,
                std::ptrdiff_t from_stride, std::byte* to) {
  constexpr size_t kPart = 128 << 10;
  const size_t lines_of_part = std::max<size_t>(1, kPart / bytes), parts = (lines + lines_of_part - 1) / lines_of_part;
  const size_t cuts = lines > 1 ? 1 : (bytes + kPart - 1) / kPart;  // of a single line
  workers.parallel_for(parts * cuts, [&](size_t part) {
    const size_t at = cuts > 1 ? part * kPart : 0, count = cuts > 1 ? std::min(kPart, bytes - at) : bytes;
    const size_t first = cuts > 1 ? 0 : part * lines_of_part;
    for (size_t line = first; line < std::min(first + lines_of_part, lines); ++line)
      copy_past_caches(to + line * stride + at, from + static_cast<std::ptrdiff_t>(line) * from_stride + at, count);
  });
}

}  // namespace texcast::compact
