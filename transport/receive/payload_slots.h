// payload_slots.h — the payloads of one compact frame, in memory of the session's own that frames share. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace texcast::transport {

// Memory that frames under way have on loan, page by page. It never has more pages than it was allowed; most of those
// that nobody needs any more are let go.
class PayloadPages {
 public:
  static constexpr size_t kPageBytes = size_t{64} << 10;  // a symbol with the largest payload has room in one

  explicit PayloadPages(size_t most_bytes) : most_((most_bytes + kPageBytes - 1) / kPageBytes + 1) {}
  using Page = std::unique_ptr<std::byte[]>;
  Page lend();  // nullptr: all are lent
  void take_back(Page page);

 private:
  size_t most_;
  size_t lent_ = 0;
  std::vector<Page> free_;
};

// A payload lies there as its symbol does in the code: 2 bytes with its length, the payload, zeros up to a multiple of
// 16. What is there is not written again, and stays in its place until release().
class PayloadSlots {
 public:
  PayloadSlots() = default;
  PayloadSlots(const PayloadSlots&) = delete;
  PayloadSlots& operator=(const PayloadSlots&) = delete;

  // Another frame, of which nothing is there. The pages must outlive it.
  void begin(PayloadPages& pages);
  void release();

  bool has(uint32_t number) const { return number < slots_.size() && slots_[number].length > 0; }
  Bytes payload(uint32_t number) const;                        // empty where it is not there
  Bytes symbol(uint32_t number) const;                         // with the zeros; of one that is there
  std::span<const Bytes> arrived() const { return arrived_; }  // payloads in the order in which they were put here
  uint32_t count() const { return static_cast<uint32_t>(arrived_.size()); }
  uint32_t front() const { return static_cast<uint32_t>(slots_.size()); }  // one past the last that is there
  uint32_t prefix() const;                                                 // from the first on, without a hole
  uint64_t bytes() const { return bytes_; }                                // of all payloads
  size_t longest() const { return longest_; }

  // A copy of one that is not there. False where there is no memory.
  bool add(uint32_t number, Bytes payload);
  // Memory for a symbol, a multiple of 16 bytes and at most a page; empty where there is none. put() makes what was
  // written there a payload; false, and it is none, where its length cannot be.
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
  size_t used_ = 0;  // of the last page
  std::vector<Slot> slots_;
  std::vector<Bytes> arrived_;
  uint64_t bytes_ = 0;
  size_t longest_ = 0;
};

}  // namespace texcast::transport
