#include "compact/rans.h"

namespace texcast::compact {
namespace {

// 2^44 / count, rounded up, replaces a division by count. The rounding error grows with the state, and matters most
// just below a multiple of the count. The quotient is exact even for the largest state, count · 2^20 - 1.
constexpr int kReciprocalBits = 44;
constexpr auto kReciprocals = [] {
  std::array<uint64_t, kScale> of{};
  for (uint32_t count = 1; count < kScale; ++count) of[count] = ((uint64_t{1} << kReciprocalBits) + count - 1) / count;
  return of;
}();
constexpr uint32_t quotient_of(uint32_t state, uint32_t count) {
  return static_cast<uint32_t>(state * kReciprocals[count] >> kReciprocalBits);
}
static_assert([] {
  for (uint32_t count = 1; count < kScale; ++count)
    if (quotient_of((count << (32 - kScaleBits)) - 1, count) != (1u << (32 - kScaleBits)) - 1) return false;
  return true;
}());

}  // namespace

inline void RansWriter::put(uint32_t& state, Slots slots) {
  const uint32_t count = slots.count;
  if (state >> (32 - kScaleBits) >= count) {
    if (at_ < 2) {
      is_full_ = true;
      return;
    }
    at_ -= 2;
    store_le16(memory_, at_, static_cast<uint16_t>(state));
    state >>= 16;
  }
  state += quotient_of(state, count) * (kScale - count) + slots.start;  // quotient · kScale + remainder + start
}

void RansWriter::put(std::span<const Slots> symbols) {
  uint32_t state = state_;
  for (size_t i = symbols.size(); i-- > 0;) put(state, symbols[i]);
  state_ = state;
}

void RansWriter::put(const Slots* table, std::span<const uint16_t> symbols) {
  uint32_t state = state_;
  for (size_t i = symbols.size(); i-- > 0;) {
    const Slots slots = table[symbols[i]];
    if (slots.count != 0) put(state, slots);
  }
  state_ = state;
}

size_t RansWriter::end() {
  if (is_full_ || at_ < 4) return 0;
  at_ -= 4;
  store_le16(memory_, at_, static_cast<uint16_t>(state_ >> 16));
  store_le16(memory_, at_ + 2, static_cast<uint16_t>(state_));
  return memory_.size() - at_;
}

size_t SymbolList::write(MutableBytes memory, uint32_t first) const {
  RansWriter writer(memory, first);
  writer.put(std::span(symbols_).first(count_));
  return writer.end();
}

}  // namespace texcast::compact
