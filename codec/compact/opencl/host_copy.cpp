#include "host_copy.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace texcast::compact {
namespace {

constexpr size_t kBytesOfItem = 64 << 10, kItemsOfPart = 32;

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

bool has_gaps(const CopiedLines& lines) {
  return lines.stride != lines.bytes || lines.from_stride != static_cast<std::ptrdiff_t>(lines.bytes);
}

// `count` of these lines, from `first` on.
CopiedLines some_of(const CopiedLines& lines, size_t first, size_t count) {
  CopiedLines some = lines;
  some.from += static_cast<std::ptrdiff_t>(first) * lines.from_stride;
  some.to += first * lines.stride;
  some.at += first * lines.stride;
  some.lines = count;
  return some;
}

// The same bytes as lines of an item's size; the last one may be shorter, and is not counted.
CopiedLines without_gaps(const CopiedLines& lines) {
  const size_t bytes = lines.lines * lines.bytes;
  CopiedLines same = lines;
  same.bytes = same.stride = std::min(bytes, kBytesOfItem);
  same.from_stride = static_cast<std::ptrdiff_t>(same.bytes);
  same.lines = same.bytes > 0 ? bytes / same.bytes : 0;
  return same;
}

}  // namespace

void HostCopies::clear() {
  items_.clear();
  parts_.clear();
}

void HostCopies::add(const CopiedLines& lines, Stage& stage) {
  const bool is_whole = lines.lines == 1 || !has_gaps(lines);
  const CopiedLines all = is_whole ? without_gaps(lines) : lines;
  if (all.bytes == 0) return;
  const size_t lines_of_part = kItemsOfPart * std::max<size_t>(1, kBytesOfItem / all.bytes);
  for (size_t first = 0; first < all.lines; first += lines_of_part)
    add_part(some_of(all, first, std::min(lines_of_part, all.lines - first)), stage);
  const size_t rest = is_whole ? lines.lines * lines.bytes - all.lines * all.bytes : 0;
  if (rest == 0) return;
  CopiedLines last = some_of(all, all.lines, 1);
  last.bytes = rest;
  items_.push_back({.lines = last, .part = parts_.size() - 1});
  parts_.back().bytes += rest;
  ++parts_.back().items;
}

void HostCopies::add_part(const CopiedLines& lines, Stage& stage) {
  const size_t lines_of_item = std::max<size_t>(1, kBytesOfItem / lines.bytes);
  Part part{.device = lines.device,
            .at = lines.at,
            .bytes = (lines.lines - 1) * lines.stride + lines.bytes,
            .items = (lines.lines + lines_of_item - 1) / lines_of_item,
            .from = lines.to,
            .stage = &stage,
            .then = nullptr};
  for (size_t first = 0; first < lines.lines; first += lines_of_item)
    items_.push_back(
        {.lines = some_of(lines, first, std::min(lines_of_item, lines.lines - first)), .part = parts_.size()});
  parts_.push_back(std::move(part));
}

void HostCopies::then(std::function<void()> call) {
  parts_.emplace_back();
  parts_.back().then = std::move(call);
}

void HostCopies::run(Workers& workers) {
  if (copied_.size() < parts_.size()) copied_ = std::vector<std::atomic<size_t>>(2 * parts_.size());
  for (std::atomic<size_t>& items : copied_) items = 0;
  next_ = 0;
  const auto caller = std::this_thread::get_id();
  workers.parallel_for(items_.size(), [&](size_t i) {
    const CopiedLines& lines = items_[i].lines;
    for (size_t line = 0; line < lines.lines; ++line)
      copy_past_caches(lines.to + line * lines.stride,
                       lines.from + static_cast<std::ptrdiff_t>(line) * lines.from_stride, lines.bytes);
    copied_[items_[i].part].fetch_add(1, std::memory_order_release);
    if (std::this_thread::get_id() == caller) upload_complete_parts();
  });
  upload_complete_parts();
}

void HostCopies::upload_complete_parts() {
  for (; next_ < parts_.size(); ++next_) {
    const Part& part = parts_[next_];
    if (copied_[next_].load(std::memory_order_acquire) < part.items) return;
    if (part.then) {
      part.then();
      continue;
    }
    queue_.upload(*part.device, part.at, part.bytes, part.from, *part.stage);
    queue_.commands().flush();
  }
}

}  // namespace texcast::compact
