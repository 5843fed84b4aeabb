#include "host_copy.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>

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

void copy_in_parts(Workers& workers, size_t lines, size_t stride, size_t bytes, const std::byte* from,
                   std::ptrdiff_t from_stride, std::byte* to, const std::function<void(size_t, size_t)>& upload) {
  constexpr size_t kItem = 128 << 10, kItemsOfPart = 16, kMostParts = 32;
  const size_t lines_of_item = std::max<size_t>(1, kItem / bytes), items = (lines + lines_of_item - 1) / lines_of_item;
  const size_t items_of_part = std::max(kItemsOfPart, (items + kMostParts - 1) / kMostParts);
  const size_t parts = (items + items_of_part - 1) / items_of_part, lines_of_part = items_of_part * lines_of_item;
  std::array<std::atomic<size_t>, kMostParts> copied{};  // items
  size_t next = 0;                                       // part to upload
  const auto upload_complete_parts = [&] {
    for (; next < parts; ++next) {
      const size_t of_part = std::min(items_of_part, items - next * items_of_part), first = next * lines_of_part;
      if (copied[next].load(std::memory_order_acquire) < of_part) return;
      upload(first * stride, (std::min(lines_of_part, lines - first) - 1) * stride + bytes);
    }
  };
  const auto caller = std::this_thread::get_id();
  workers.parallel_for(items, [&](size_t item) {
    const size_t first = item * lines_of_item;
    for (size_t line = first; line < std::min(first + lines_of_item, lines); ++line)
      copy_past_caches(to + line * stride, from + static_cast<std::ptrdiff_t>(line) * from_stride, bytes);
    copied[item / items_of_part].fetch_add(1, std::memory_order_release);
    if (std::this_thread::get_id() == caller) upload_complete_parts();
  });
  upload_complete_parts();
}

void copy_in_parts(Workers& workers, size_t bytes, const std::byte* from, std::byte* to,
                   const std::function<void(size_t, size_t)>& upload) {
  constexpr size_t kLine = 64 << 10;
  const size_t lines = bytes / kLine, rest = bytes % kLine, at = lines * kLine;
  if (lines > 0) copy_in_parts(workers, lines, kLine, kLine, from, kLine, to, upload);
  if (rest == 0) return;
  copy_past_caches(to + at, from + at, rest);
  upload(at, rest);
}

}  // namespace texcast::compact
