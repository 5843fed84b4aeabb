#include "reassembler.h"

#include <algorithm>
#include <cstring>

#include "base/ensure.h"

namespace texcast::transport {

void Reassembler::begin(size_t frame_bytes) {
  constexpr size_t kSlack = size_t{1} << 20;
  if (frame_bytes > capacity_ || capacity_ > 4 * frame_bytes + kSlack) {
    buffer_.reset();
    // Not zeroed: what no packet writes, conceal() fills, and untouched pages cost no memory.
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(frame_bytes);
    capacity_ = frame_bytes;
  }
  frame_bytes_ = frame_bytes;
  coverage_.clear();
  concealed_.clear();
}

ByteCoverage::Added Reassembler::add(uint32_t offset, Bytes piece) {
  ENSURE(offset <= frame_bytes_ && piece.size() <= frame_bytes_ - offset);
  const auto added = coverage_.add(offset, static_cast<uint32_t>(offset + piece.size()));
  if (added == ByteCoverage::Added::new_bytes) std::memcpy(buffer_.get() + offset, piece.data(), piece.size());
  return added;
}

void Reassembler::fill(size_t begin, size_t end, Bytes previous) {
  const size_t from_previous = std::clamp(previous.size(), begin, end);
  if (from_previous > begin) std::memcpy(buffer_.get() + begin, previous.data() + begin, from_previous - begin);
  std::fill(buffer_.get() + from_previous, buffer_.get() + end, std::byte{0});
}

uint64_t Reassembler::conceal(Bytes previous, size_t unit_bytes) {
  uint64_t filled = 0;
  size_t done = 0;  // filled up to here already: a unit with two holes is filled once
  const auto hole = [&](size_t begin, size_t end) {
    begin = std::max(begin / unit_bytes * unit_bytes, done);
    end = std::min((end + unit_bytes - 1) / unit_bytes * unit_bytes, frame_bytes_);
    if (begin >= end) return;
    fill(begin, end, previous);
    if (!concealed_.empty() && concealed_.back().end == begin)
      concealed_.back().end = static_cast<uint32_t>(end);
    else
      concealed_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    filled += end - begin;
    done = end;
  };
  size_t at = 0;
  for (const auto& interval : coverage_.intervals()) {
    if (interval.begin > at) hole(at, interval.begin);
    at = interval.end;
  }
  if (at < frame_bytes_) hole(at, frame_bytes_);
  return filled;
}

}  // namespace texcast::transport
