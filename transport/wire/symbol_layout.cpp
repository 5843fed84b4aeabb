#include "transport/symbol_layout.h"

#include <algorithm>
#include <cmath>

#include "base/ensure.h"

namespace texcast::transport {
namespace {

constexpr uint32_t kFewPackets = 4;
constexpr uint32_t kLeastParity = 2;  // of a group, where the frame has more packets than that

}  // namespace

SymbolLayout SymbolLayout::plan(size_t frame_bytes, size_t symbol_bytes, double parity_percent) {
  ENSURE(frame_bytes >= 1 && frame_bytes <= INT32_MAX);
  ENSURE(symbol_bytes >= kLeastSymbolBytes && symbol_bytes % kSymbolUnit == 0 && symbol_bytes <= UINT16_MAX);
  ENSURE(parity_percent >= 0 && parity_percent <= 100);
  SymbolLayout layout{.frame_bytes = static_cast<uint32_t>(frame_bytes),
                      .symbol_bytes = static_cast<uint32_t>(symbol_bytes)};
  if (parity_percent == 0) return layout;
  const uint32_t packets = layout.packets();
  for (layout.groups = (packets + kMaxGroupSymbols - 1) / kMaxGroupSymbols;; ++layout.groups) {
    // A hair less, so that 10 % of 190 is 19 whatever the rounding of the product.
    const double wanted = std::ceil(layout.code_symbols() * parity_percent / 100 - 1e-9);
    layout.parity = std::max(static_cast<uint32_t>(wanted), packets > kFewPackets ? kLeastParity : 1U);
    if (layout.code_symbols() + layout.parity <= kMaxGroupSymbols) break;
  }
  ENSURE(layout.groups <= UINT16_MAX);
  return layout;
}

std::optional<SymbolLayout> SymbolLayout::checked(uint32_t frame_bytes, uint32_t symbol_bytes, uint32_t groups,
                                                  uint32_t parity) {
  if (frame_bytes == 0 || frame_bytes > INT32_MAX) return std::nullopt;
  if (symbol_bytes < kLeastSymbolBytes || symbol_bytes % kSymbolUnit != 0) return std::nullopt;
  const SymbolLayout layout{frame_bytes, symbol_bytes, groups, parity};
  if (groups == 0 || groups > layout.packets()) return std::nullopt;
  if (parity > std::max(layout.code_symbols(), kLeastParity)) return std::nullopt;
  if (parity > 0 && layout.code_symbols() + parity > kMaxGroupSymbols) return std::nullopt;
  return layout;
}

}  // namespace texcast::transport
