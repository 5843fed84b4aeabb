// payload_slots.h — the payloads of one coded frame, in the session's own memory, which all frames share. No I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace texcast::transport {

// Memory pages, borrowed by frames in progress. There are never more pages than allowed, and most of the unused ones
// are freed.
class PayloadPages {
 public:
  static constexpr size_t kPageBytes = size_t{64} << 10;  // holds a symbol with the largest payload

  explicit PayloadPages(size_t most_bytes) : most_((most_bytes + kPageBytes - 1) / kPageBytes + 1) {}
  using Page = std::unique_ptr<std::byte[]>;
  Page lend();  // nullptr: all are lent
  void take_back(Page page);

 private:
  size_t most_;
  size_t lent_ = 0;
  std::vector<Page> free_;
};

// A payload is stored as its symbol in the erasure code: a length of 2 bytes, the payload, zeros up to a multiple of
// 16. A stored payload is neither written again nor moved until release().
class PayloadSlots {
 public:
  PayloadSlots() = default;
  PayloadSlots(const PayloadSlots&) = delete;
  PayloadSlots& operator=(const PayloadSlots&) = delete;

  // Begins another frame. The pages must outlive it.
  void begin(PayloadPages& pages);
  void release();

  bool has(uint32_t number) const { return number < slots_.size() && slots_[number].length > 0; }
  Bytes payload(uint32_t number) const;                        // empty if it is not there
  Bytes symbol(uint32_t number) const;                         // including the zeros; requires has()
  std::span<const Bytes> arrived() const { return arrived_; }  // in the order in which they were stored
  uint32_t count() const { return static_cast<uint32_t>(arrived_.size()); }
  uint32_t front() const { return static_cast<uint32_t>(slots_.size()); }  // one past the last that is there
  uint32_t prefix() const;                   // number of contiguous payloads from the first on
  uint64_t bytes() const { return bytes_; }  // of all payloads
  size_t longest() const { return longest_; }

  // Stores a copy of a payload that is not there yet. False if there is no memory.
  bool add(uint32_t number, Bytes payload);
  // Memory for a symbol, a multiple of 16 bytes and at most a page; empty if there is none. put() declares the symbol
  // written there to be a payload. False, and it is ignored, if its length is invalid.
  MutableBytes take(size_t symbol_bytes);
  bool put(uint32_t number, MutableBytes symbol);

 private:
  struct Slot {
    const std::byte* at = nullptr;  // its symbol
    uint32_t length = 0;            // of the payload; 0: not there
  };
  void note(uint32_t number, const std::byte* symbol, size_t length);

  PayloadPages* pages_ = nullptr;
  std::vector<PayloadPages::Page> lent_;
  size_t used_ = 0;  // bytes of the last page
  std::vector<Slot> slots_;
  std::vector<Bytes> arrived_;
  uint64_t bytes_ = 0;
  size_t longest_ = 0;
};

}  // namespace texcast::transport
