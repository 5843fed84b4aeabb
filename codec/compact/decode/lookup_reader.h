// lookup_reader.h — reads the symbols of a slice by lookup tables: the entropy decoder (RansDecoder), faster.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "compact/contexts.h"
#include "compact/motion_vector.h"
#include "compact/rans.h"
#include "compact/slice_syntax.h"
#include "compact/symbol_reader.h"
#include "lookup_tables.h"

// Every symbol waits for the coder's state, so that the state has to stay in registers. It does if all readers are
// inlined into one function. Sanitizer builds define this as plain `inline`: with their checks that function takes a
// minute to compile.
#ifndef TEXCAST_INLINE
#define TEXCAST_INLINE __attribute__((always_inline)) inline
#endif

namespace texcast::compact {

// Has to be a local variable of the function that reads, for its state to stay in registers.
template <bool lossy>
class LookupReader {
 public:
  explicit LookupReader(Bytes coded) : next_(coded.data()), end_(coded.data() + coded.size()) {
    state_ = take16();
    state_ = state_ << 16 | take16();
  }
  void use(const LookupTables& tables) { tables_ = &tables; }

  TEXCAST_INLINE int get(int context) {
    const uint32_t slot = state_ & (kScale - 1);
    uint32_t entry = tables_->of[context].bucket[slot >> kBucketShift];
    uint32_t within = slot - (entry >> 4 & (kScale - 1));
    if (within >= entry >> 16) [[unlikely]] {
      const SymbolTable& table = tables_->exact->of[context];
      const int symbol = symbol_at(table, slot);
      within = slot - table.start[symbol];
      entry = table.frequency(symbol) << 16 | static_cast<uint32_t>(symbol);
    }
    state_ = (entry >> 16) * (state_ >> kScaleBits) + within;
    if (state_ < kLowest && (!lossy || next_ != end_)) state_ = state_ << 16 | take16();
    return static_cast<int>(entry & 15);
  }
  // Rare symbols are read out of line, from a copy: the reader's address is never taken, so that it stays in registers.
  TEXCAST_INLINE uint32_t bits(int count) {
    LookupReader copy = *this;
    const uint32_t value = copy.bits_out_of_line(count);
    *this = copy;
    return value;
  }
  // `of_block`: the vector of a hash copy, in blocks; else of a partition.
  TEXCAST_INLINE MotionVector vector(bool of_block) {
    LookupReader copy = *this;
    const MotionVector vector = copy.vector_out_of_line(of_block);
    *this = copy;
    return vector;
  }
  // A residual of an end point, folded.
  TEXCAST_INLINE uint32_t difference(int context) {
    const auto symbol = static_cast<uint32_t>(get(context));
    if (symbol < kDirect) [[likely]]
      return symbol;
    const uint32_t escape = symbol - kDirect;
    return kEscapeFirst[escape] + bits(kEscapeBits[escape]);
  }
  // Whether the bytes end exactly here, and the coder's state is the encoder's first.
  bool ended_well() const { return !short_ && next_ == end_ && state_ == (lossy ? kSmall : kLowest); }
  // More bytes were read than there are; the missing ones counted as 0.
  bool is_short() const { return short_; }

 private:
  [[gnu::noinline]] uint32_t bits_out_of_line(int count) { return read_bits(*this, count); }
  [[gnu::noinline]] MotionVector vector_out_of_line(bool of_block) { return read_vector(*this, of_block); }
  TEXCAST_INLINE uint32_t take16() {
    if (end_ - next_ < 2) [[unlikely]] {
      short_ = true;
      return 0;
    }
    uint16_t value;
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(&value, next_, sizeof value);
    next_ += 2;
    return value;
  }
  const std::byte* next_;
  const std::byte* end_;
  const LookupTables* tables_ = nullptr;
  uint32_t state_ = 0;
  bool short_ = false;
};

}  // namespace texcast::compact
