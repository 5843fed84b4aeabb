// rans.h — the entropy coder: range asymmetric numeral systems (J. Duda, arXiv 1311.2540, 2013; the form with 32 bits
// of state and 16 at a time is F. Giesen's, arXiv 1402.3392, 2014) over fixed tables.
//
// The encoder codes backwards, so that its initial state is the decoder's final one. A decoder that does not end in
// this state, or has bytes left, was not given a stream of this coder. Lossless slices end in kLowest. Lossy ones end
// in kLossyEndState, which saves 16 bits: at their end the state is not refilled to kLowest, because no bytes are left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "compact/tables.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace texcast::compact {

inline constexpr uint32_t kLowest = 1u << 16, kLossyEndState = 1;

// The symbol to which a slot belongs.
inline int symbol_at(const SymbolTable& table, uint32_t slot) {
#if defined(__SSE2__)
  // The signed comparison is correct, as slots have 12 bits.
  const __m128i key = _mm_set1_epi16(static_cast<int16_t>(slot));
  const auto* starts = reinterpret_cast<const __m128i*>(table.start.data());
  const __m128i above_low = _mm_cmpgt_epi16(_mm_load_si128(starts), key);
  const __m128i above_high = _mm_cmpgt_epi16(_mm_load_si128(starts + 1), key);
  const int above = _mm_movemask_epi8(_mm_packs_epi16(above_low, above_high));
  return __builtin_ctz(static_cast<unsigned>(above) | 1u << 16) - 1;
#else
  int symbol = 0;
  for (int s = 1; s < kSymbols; ++s) symbol += table.start[s] <= slot;
  return symbol;
#endif
}

class RansDecoder {
 public:
  // `bytes` may be damaged or hostile. `last` is the state in which the stream ends.
  explicit RansDecoder(Bytes bytes, uint32_t last = kLowest)
      : next_(bytes.data()), end_(bytes.data() + bytes.size()), last_(last) {
    state_ = take16();
    state_ = state_ << 16 | take16();
  }
  int get(const SymbolTable& table) {
    const uint32_t slot = state_ & (kScale - 1);
    const int symbol = symbol_at(table, slot);
    state_ = table.frequency(symbol) * (state_ >> kScaleBits) + slot - table.start[symbol];
    if (state_ < kLowest && (last_ == kLowest || next_ != end_)) state_ = state_ << 16 | take16();
    return symbol;
  }
  // All bytes were read, and none was missing.
  bool ended_well() const { return !short_ && next_ == end_ && state_ == last_; }
  bool is_short() const { return short_; }

 private:
  uint32_t take16() {
    if (end_ - next_ < 2) {
      short_ = true;
      return 0;
    }
    const uint32_t value = std::to_integer<uint32_t>(next_[0]) | std::to_integer<uint32_t>(next_[1]) << 8;
    next_ += 2;
    return value;
  }
  const std::byte* next_;
  const std::byte* end_;
  uint32_t last_;
  uint32_t state_ = 0;
  bool short_ = false;
};

// Codes symbols from the last one to the first, to the end of `memory`.
class RansWriter {
 public:
  // `first`: the state in which decoders end.
  RansWriter(MutableBytes memory, uint32_t first) : memory_(memory), at_(memory.size()), state_(first) {}
  // Symbols before those of all earlier calls.
  void put(std::span<const Slots> symbols);
  // The same, with the slots of symbol s in table[s]. A symbol without slots is left out.
  void put(const Slots* table, std::span<const uint16_t> symbols);
  // The number of bytes; 0: there is not enough room.
  size_t end();

 private:
  void put(uint32_t& state, Slots slots);

  MutableBytes memory_;
  size_t at_;
  uint32_t state_;
  bool is_full_ = false;
};

// Collects symbols in order. write() then codes all of them, from the last to the first.
class SymbolList {
 public:
  // For training: counts how often each symbol occurs in each context. nullptr: they are not counted.
  using Counts = std::array<std::array<uint32_t, kSymbols>, context::kCount>;
  void count_into(Counts* counts) { counts_ = counts; }
  void clear() { count_ = 0; }
  // Must be called before as many symbols are put. Allocates only if there is less room than in any slice before.
  void make_room(size_t symbols) {
    if (count_ + symbols > symbols_.size()) symbols_.resize(2 * (count_ + symbols));
  }
  void put(const CodingTables& tables, int context, int symbol) {
    symbols_[count_++] = tables.slots[context][symbol];
    if (counts_ != nullptr) ++(*counts_)[context][symbol];
  }
  // Each is context * 16 + symbol. They are not counted.
  void put_all(const CodingTables& tables, std::span<const uint16_t> symbols) {
    make_room(symbols.size());
    const Slots* const slots = tables.slots.front().data();
    for (const uint16_t symbol : symbols) symbols_[count_++] = slots[symbol];
  }
  // The other list's symbols, the first `from` of them excepted.
  void append(const SymbolList& other, size_t from) {
    make_room(other.count_ - from);
    std::copy(other.symbols_.begin() + static_cast<ptrdiff_t>(from),
              other.symbols_.begin() + static_cast<ptrdiff_t>(other.count_),
              symbols_.begin() + static_cast<ptrdiff_t>(count_));
    count_ += other.count_ - from;
  }
  bool operator==(const SymbolList& other) const {
    return std::equal(symbols_.begin(), symbols_.begin() + static_cast<ptrdiff_t>(count_), other.symbols_.begin(),
                      other.symbols_.begin() + static_cast<ptrdiff_t>(other.count_));
  }
  // Writes to the end of `memory`, and returns the number of bytes; 0: there is not enough room.
  size_t write(MutableBytes memory, uint32_t first = kLowest) const;

 private:
  std::vector<Slots> symbols_;
  size_t count_ = 0;
  Counts* counts_ = nullptr;
};

}  // namespace texcast::compact
