// lookup_reader.h — a unit's symbols by tables for decoders (lookup_tables.h): what RansDecoder gives.
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

// The coder's state is what all waits for: it has to stay in registers, which it does where everything is one function.
// Sanitizer builds define it as plain `inline`: with their checks this function takes a minute to compile.
#ifndef TEXCAST_INLINE
#define TEXCAST_INLINE __attribute__((always_inline)) inline
#endif

namespace texcast::compact {

// To be a local variable of the function that reads.
template <bool lossy>
class FastReader {
 public:
  explicit FastReader(Bytes coded) : next_(coded.data()), end_(coded.data() + coded.size()) {
    state_ = take16();
    state_ = state_ << 16 | take16();
  }
  void use(const FastTables& tables) { tables_ = &tables; }

  TEXCAST_INLINE int get(int context) {
    const uint32_t slot = state_ & (kScale - 1);
    uint32_t entry = tables_->of[context].bucket[slot >> kBucketShift];
    uint32_t within = slot - (entry >> 4 & (kScale - 1));
    if (within >= entry >> 16) [[unlikely]] {
      const SymbolTable& table = tables_->plain->of[context];
      const int symbol = symbol_at(table, slot);
      within = slot - table.start[symbol];
      entry = table.frequency(symbol) << 16 | static_cast<uint32_t>(symbol);
    }
    state_ = (entry >> 16) * (state_ >> kScaleBits) + within;
    if (state_ < kLowest && (!lossy || next_ != end_)) state_ = state_ << 16 | take16();
    return static_cast<int>(entry & 15);
  }
  // What is rare is a function of its own, of a copy: so the reader itself need not lie in memory.
  TEXCAST_INLINE uint32_t bits(int count) {
    FastReader copy = *this;
    const uint32_t value = copy.bits_apart(count);
    *this = copy;
    return value;
  }
  TEXCAST_INLINE MotionVector vector(bool is_match) {
    FastReader copy = *this;
    const MotionVector vector = copy.vector_apart(is_match);
    *this = copy;
    return vector;
  }
  // Folded.
  TEXCAST_INLINE uint32_t difference(int context) {
    const auto symbol = static_cast<uint32_t>(get(context));
    if (symbol < kDirect) [[likely]]
      return symbol;
    const uint32_t escape = symbol - kDirect;
    return kEscapeFirst[escape] + bits(kEscapeBits[escape]);
  }
  bool ended_well() const { return !short_ && next_ == end_ && state_ == (lossy ? kLossyEndState : kLowest); }
  bool is_short() const { return short_; }

 private:
  [[gnu::noinline]] uint32_t bits_apart(int count) { return read_bits(*this, count); }
  [[gnu::noinline]] MotionVector vector_apart(bool is_match) { return read_vector(*this, is_match); }
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
  const FastTables* tables_ = nullptr;
  uint32_t state_ = 0;
  bool short_ = false;
};

// A folded difference's class, as magnitude_class() has it.
TEXCAST_INLINE int class_of_folded(uint32_t folded) {
  constexpr uint32_t kClasses = 0b11'10'10'10'10'01'01'00;  // of 0, 1, 2 … 7 and above
  return static_cast<int>(kClasses >> 2 * std::min(folded, 7u) & 3);
}
TEXCAST_INLINE int is_positive(uint32_t folded) { return static_cast<int>(folded & 1); }

}  // namespace texcast::compact
