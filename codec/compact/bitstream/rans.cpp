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

size_t SymbolList::write(MutableBytes memory, uint32_t first) const {
  size_t at = memory.size();
  uint32_t state = first;
  for (size_t i = count_; i-- > 0;) {
    const Slots slots = symbols_[i];
    const uint32_t count = slots.count;
    if (state >> (32 - kScaleBits) >= count) {
      if (at < 2) return 0;
      at -= 2;
      store_le16(memory, at, static_cast<uint16_t>(state));
      state >>= 16;
    }
    state += quotient_of(state, count) * (kScale - count) + slots.start;  // quotient · kScale + remainder + start
  }
  if (at < 4) return 0;
  at -= 4;
  store_le16(memory, at, static_cast<uint16_t>(state >> 16));
  store_le16(memory, at + 2, static_cast<uint16_t>(state));
  return memory.size() - at;
}

}  // namespace texcast::compact
