#include "transport/symbol_layout.h"

#include <algorithm>
#include <cmath>

#include "base/ensure.h"
#include "transport/compact_packet.h"

namespace texcast::transport {
namespace {

constexpr uint32_t kFewPackets = 4;
constexpr uint32_t kLeastParity = 2;  // of a group, if the frame has more packets than that

// Adds groups and parity to a layout without any.
SymbolLayout with_parity(SymbolLayout layout, double parity_percent) {
  ENSURE(parity_percent >= 0 && parity_percent <= 100);
  if (parity_percent == 0) return layout;
  const uint32_t packets = layout.packets();
  for (layout.groups = (packets + SymbolLayout::kMaxGroupSymbols - 1) / SymbolLayout::kMaxGroupSymbols;;
       ++layout.groups) {
    // Reduced slightly, so that 10 % of 190 is 19 despite rounding.
    const double wanted = std::ceil(layout.code_symbols() * parity_percent / 100 - 1e-9);
    layout.parity = std::max(static_cast<uint32_t>(wanted), packets > kFewPackets ? kLeastParity : 1U);
    if (layout.code_symbols() + layout.parity <= SymbolLayout::kMaxGroupSymbols) break;
  }
  ENSURE(layout.groups <= UINT16_MAX);
  return layout;
}

// True if the layout's groups and parity, which come from the wire, are valid.
bool can_be(const SymbolLayout& layout) {
  if (layout.groups == 0 || layout.groups > layout.packets()) return false;
  if (layout.parity > std::max(layout.code_symbols(), kLeastParity)) return false;
  return layout.parity == 0 || layout.code_symbols() + layout.parity <= SymbolLayout::kMaxGroupSymbols;
}

}  // namespace

SymbolLayout SymbolLayout::plan(size_t frame_bytes, size_t symbol_bytes, double parity_percent) {
  ENSURE(frame_bytes >= 1 && frame_bytes <= INT32_MAX);
  ENSURE(symbol_bytes >= kLeastSymbolBytes && symbol_bytes % kSymbolUnit == 0 && symbol_bytes <= UINT16_MAX);
  return with_parity(
      {.frame_bytes = static_cast<uint32_t>(frame_bytes), .symbol_bytes = static_cast<uint32_t>(symbol_bytes)},
      parity_percent);
}

SymbolLayout SymbolLayout::plan_payloads(uint32_t packets, size_t symbol_bytes, double parity_percent) {
  ENSURE(packets >= 1 && packets <= kMostPayloads);
  ENSURE(symbol_bytes >= kSymbolUnit && symbol_bytes % kSymbolUnit == 0 && symbol_bytes <= INT32_MAX / packets);
  const auto symbol = static_cast<uint32_t>(symbol_bytes);
  return with_parity({.frame_bytes = packets * symbol, .symbol_bytes = symbol}, parity_percent);
}

std::optional<SymbolLayout> SymbolLayout::checked(uint32_t frame_bytes, uint32_t symbol_bytes, uint32_t groups,
                                                  uint32_t parity) {
  if (frame_bytes == 0 || frame_bytes > INT32_MAX) return std::nullopt;
  if (symbol_bytes < kLeastSymbolBytes || symbol_bytes % kSymbolUnit != 0) return std::nullopt;
  const SymbolLayout layout{frame_bytes, symbol_bytes, groups, parity};
  return can_be(layout) ? std::optional(layout) : std::nullopt;
}

std::optional<SymbolLayout> SymbolLayout::checked_payloads(uint32_t packets, uint32_t symbol_bytes, uint32_t groups,
                                                           uint32_t parity) {
  if (packets == 0 || packets > kMostPayloads) return std::nullopt;
  if (symbol_bytes < kSymbolUnit || symbol_bytes % kSymbolUnit != 0 || symbol_bytes > INT32_MAX / packets)
    return std::nullopt;
  const SymbolLayout layout{packets * symbol_bytes, symbol_bytes, groups, parity};
  return can_be(layout) ? std::optional(layout) : std::nullopt;
}

}  // namespace texcast::transport
