#include "reassembler.h"

#include <cstring>

#include "base/ensure.h"
#include "conceal.h"

namespace texcast::transport {

bool Reassembler::reallocates(size_t frame_bytes) const {
  constexpr size_t kSlack = size_t{1} << 20;
  return frame_bytes > capacity_ || capacity_ > 4 * frame_bytes + kSlack;
}

void Reassembler::release() {
  buffer_.reset();
  capacity_ = frame_bytes_ = 0;
  coverage_.clear();
  concealed_.clear();
}

void Reassembler::begin(size_t frame_bytes) {
  if (reallocates(frame_bytes)) {
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

uint64_t Reassembler::conceal(Bytes previous, size_t unit_bytes) {
  return transport::conceal(memory(), coverage_.intervals(), previous, unit_bytes, concealed_);
}

}  // namespace texcast::transport
