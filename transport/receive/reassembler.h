// reassembler.h — the bytes of one frame, put together from pieces in any order. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "transport/byte_coverage.h"

namespace texcast::transport {

// Its buffer is kept from frame to frame and replaced only where a frame is larger, or so much smaller that keeping it
// would let one absurd header pin memory.
class Reassembler {
 public:
  Reassembler() { concealed_.reserve(64); }  // as ByteCoverage: as many holes as a bad network makes
  void begin(size_t frame_bytes);
  // Copies the piece to its place: the only copy that received bytes see. It must lie inside the frame.
  ByteCoverage::Added add(uint32_t offset, Bytes piece);
  // The buffer itself, for what does not come in pieces (repair); mark() says which bytes of it are there now.
  MutableBytes memory() { return {buffer_.get(), frame_bytes_}; }
  ByteCoverage::Added mark(uint32_t offset, uint32_t bytes) { return coverage_.add(offset, offset + bytes); }
  bool complete() const { return coverage_.covered() == frame_bytes_; }
  uint64_t covered() const { return coverage_.covered(); }
  Bytes bytes() const { return {buffer_.get(), frame_bytes_}; }
  const ByteCoverage& coverage() const { return coverage_; }
  // What begin() would have to allocate, and what it holds.
  bool reallocates(size_t frame_bytes) const;
  size_t capacity() const { return capacity_; }
  void release();  // gives the buffer back

  // Fills the holes from `previous`, as conceal() of conceal.h does. Gives the bytes filled.
  uint64_t conceal(Bytes previous, size_t unit_bytes);
  // Where that was, in order, apart from one another; until begin().
  std::span<const ByteRange> concealed() const { return concealed_; }

 private:
  std::unique_ptr<std::byte[]> buffer_;
  size_t capacity_ = 0;
  size_t frame_bytes_ = 0;
  ByteCoverage coverage_;
  std::vector<ByteRange> concealed_;
};

}  // namespace texcast::transport
