#include "rans.h"

namespace texcast::compact {

size_t SymbolList::write(MutableBytes memory) const {
  size_t at = memory.size();
  uint32_t state = kLowest;
  for (size_t i = count_; i-- > 0;) {
    const Slots slots = symbols_[i];
    const uint32_t count = slots.count;
    if (state >> (32 - kScaleBits) >= count) {
      if (at < 2) return 0;
      at -= 2;
      store_le16(memory, at, static_cast<uint16_t>(state));
      state >>= 16;
    }
    state = ((state / count) << kScaleBits) + state % count + slots.start;
  }
  if (at < 4) return 0;
  at -= 4;
  store_le16(memory, at, static_cast<uint16_t>(state >> 16));
  store_le16(memory, at + 2, static_cast<uint16_t>(state));
  return memory.size() - at;
}

}  // namespace texcast::compact
