#include "conceal.h"

#include <algorithm>

namespace texcast::transport {
namespace {

void fill(MutableBytes frame, size_t begin, size_t end, Bytes previous) {
  const size_t from_previous = std::clamp(previous.size(), begin, end);
  if (from_previous > begin) std::ranges::copy(previous.subspan(begin, from_previous - begin), &frame[begin]);
  std::ranges::fill(frame.subspan(from_previous, end - from_previous), std::byte{0});
}

}  // namespace

uint64_t conceal(MutableBytes frame, std::span<const ByteRange> present, Bytes previous, size_t unit_bytes,
                 std::vector<ByteRange>& filled) {
  filled.clear();
  uint64_t bytes = 0;
  size_t done = 0;  // filled up to here already: a unit with two holes is filled once
  const auto hole = [&](size_t begin, size_t end) {
    begin = std::max(begin / unit_bytes * unit_bytes, done);
    end = std::min((end + unit_bytes - 1) / unit_bytes * unit_bytes, frame.size());
    if (begin >= end) return;
    fill(frame, begin, end, previous);
    if (!filled.empty() && filled.back().end == begin)
      filled.back().end = static_cast<uint32_t>(end);
    else
      filled.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    bytes += end - begin;
    done = end;
  };
  size_t at = 0;
  for (const ByteRange& range : present) {
    if (range.begin > at) hole(at, range.begin);
    at = range.end;
  }
  if (at < frame.size()) hole(at, frame.size());
  return bytes;
}

}  // namespace texcast::transport
