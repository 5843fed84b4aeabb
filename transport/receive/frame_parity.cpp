#include "frame_parity.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/ensure.h"

namespace texcast::transport {

ReedSolomon& ParityCodes::code(const SymbolLayout& layout) {
  const auto k = static_cast<int>(layout.code_symbols());
  const auto m = static_cast<int>(layout.parity);
  if (!code_ || code_->k() != k || code_->m() != m)
    code_ = std::make_unique<ReedSolomon>(ReedSolomon::Matrix::cauchy, k, m);
  return *code_;
}

void FrameParity::begin() {
  layout_.reset();
  expected_only_ = parity_unknown_ = false;
  stored_ = packets_front_ = parity_front_ = 0;
}

bool FrameParity::learn(const std::optional<SymbolLayout>& layout) {
  if (layout_ && !expected_only_) return layout == layout_;
  if (!layout || (expected_only_ && packets_front_ > layout->packets())) return false;
  if (!expected_only_) packets_.clear();
  packets_.resize(layout->packets(), 0);
  groups_.assign(layout->groups, {});
  for (uint32_t packet = 0; expected_only_ && packet < packets_front_; ++packet)
    groups_[packet % layout->groups].packets += packets_[packet];
  layout_ = layout;
  expected_only_ = parity_unknown_ = false;
  parity_at_.assign(layout->parity_packets(), 0);
  const size_t bytes = store_bytes(*layout);
  constexpr size_t kSlack = size_t{1} << 20;
  if (bytes > store_capacity_ || store_capacity_ > 4 * bytes + kSlack) {
    store_.reset();
    store_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    store_capacity_ = bytes;
  }
  return true;
}

void FrameParity::expect(uint32_t packets, bool parity_follows) {
  if (layout_ && !expected_only_) return;
  ENSURE(packets >= packets_front_ && packets > 0);
  if (!layout_) {
    packets_.clear();
    groups_.assign(1, {});
    parity_at_.clear();
  }
  layout_ = SymbolLayout{.frame_bytes = packets * SymbolLayout::kSymbolUnit, .symbol_bytes = SymbolLayout::kSymbolUnit};
  expected_only_ = true;
  parity_unknown_ = parity_follows;
  packets_.resize(packets, 0);
}

// A group stores at most as much parity as it has packets; and there is one scratch symbol. Untouched pages cost
// nothing.
size_t FrameParity::store_bytes(const SymbolLayout& layout) {
  const size_t most = std::min(layout.parity_packets(), layout.packets() + layout.groups) + size_t{1};
  return layout.parity > 0 ? most * layout.symbol_bytes : 0;
}

void FrameParity::release() {
  begin();
  store_.reset();
  store_capacity_ = 0;
}

void FrameParity::arrived(uint32_t offset, size_t bytes) {
  if (!layout_ || offset % layout_->symbol_bytes != 0) return;
  const uint32_t packet = offset / layout_->symbol_bytes;
  if (packet >= layout_->packets() || bytes != layout_->size(packet)) return;
  arrived(packet);
}

void FrameParity::arrived(uint32_t packet) {
  if (has(packet)) return;
  packets_[packet] = 1;
  ++groups_[packet % layout_->groups].packets;
  packets_front_ = std::max(packets_front_, packet + 1);
}

FrameParity::Added FrameParity::add(uint32_t group, uint32_t number, Bytes symbol) {
  if (!layout_ || group >= layout_->groups || number >= layout_->parity || symbol.size() != layout_->symbol_bytes)
    return Added::refused;
  uint32_t& at = parity_at_[group * layout_->parity + number];
  if (at != 0) return Added::duplicate;
  parity_front_ = std::max(parity_front_, number * layout_->groups + group + 1);
  // The group needs no more: accepted, but not stored.
  if (missing(group) <= groups_[group].parity) return Added::taken;
  std::memcpy(stored(stored_), symbol.data(), symbol.size());
  at = ++stored_;
  ++groups_[group].parity;
  return Added::taken;
}

uint32_t FrameParity::repair(uint32_t group, TileBuffer& data, ParityCodes& codes) {
  ENSURE(layout_ && data.bytes().size() == layout_->frame_bytes);
  if (!repairable(group)) return 0;
  const SymbolLayout& layout = *layout_;
  const uint32_t k = layout.code_symbols();
  const uint32_t here = layout.packets_in(group);
  const MutableBytes frame = data.memory();
  std::array<std::byte*, ReedSolomon::kMaxSymbols> symbols{};
  ReedSolomon::Present present;
  // The frame's last packet is shorter than a symbol: it is read from and written to scratch memory, padded with zeros.
  std::byte* const end = stored(std::min(layout.parity_packets(), layout.packets() + layout.groups));
  // A missing packet of which some bytes arrived (in pieces that are no symbols, which texcast never sends). Those
  // bytes are not written again, so the packet is recovered elsewhere.
  const auto in_pieces = [&](uint32_t packet) {
    const uint32_t offset = layout.offset(packet);
    return !has(packet) && data.coverage().overlaps(offset, offset + layout.size(packet));
  };
  pieces_.clear();
  for (uint32_t number = 0; number < here; ++number)
    if (in_pieces(layout.packet(group, number))) pieces_.resize(pieces_.size() + layout.symbol_bytes);
  std::byte* next_in_pieces = pieces_.data();
  for (uint32_t number = 0; number < k; ++number) {
    if (number >= here) {  // a group with one packet fewer is padded with zeros
      present.set(number);
      continue;
    }
    const uint32_t packet = layout.packet(group, number);
    std::byte* const at = frame.data() + layout.offset(packet);
    const bool whole = layout.size(packet) == layout.symbol_bytes;
    symbols[number] = whole ? at : end;
    if (!has(packet)) {
      if (whole && in_pieces(packet))
        symbols[number] = std::exchange(next_in_pieces, next_in_pieces + layout.symbol_bytes);
      continue;
    }
    present.set(number);
    if (whole) continue;
    std::memcpy(end, at, layout.size(packet));
    std::memset(end + layout.size(packet), 0, layout.symbol_bytes - layout.size(packet));
  }
  if (!restore(group, symbols, present, codes)) return 0;

  uint32_t repaired = 0;
  for (uint32_t number = 0; number < here; ++number) {
    const uint32_t packet = layout.packet(group, number);
    if (has(packet)) continue;
    const uint32_t offset = layout.offset(packet), size = layout.size(packet);
    if (symbols[number] == frame.data() + offset)
      data.mark(offset, size);
    else
      data.add(offset, Bytes(symbols[number], size));
    packets_[packet] = 1;
    ++repaired;
  }
  groups_[group].packets = here;
  return repaired;
}

bool FrameParity::restore(uint32_t group, std::span<std::byte*> symbols, ReedSolomon::Present& present,
                          ParityCodes& codes) {
  const uint32_t k = layout_->code_symbols();
  for (uint32_t number = 0; number < layout_->parity; ++number) {
    const uint32_t at = parity_at_[group * layout_->parity + number];
    if (at == 0) continue;
    symbols[k + number] = stored(at - 1);
    present.set(k + number);
  }
  return codes.code(*layout_).repair(symbols.first(k + layout_->parity), present, layout_->symbol_bytes);
}

uint32_t FrameParity::repair(uint32_t group, PayloadSlots& data, ParityCodes& codes) {
  ENSURE(layout_ && !expected_only_);
  if (!repairable(group)) return 0;
  const SymbolLayout& layout = *layout_;
  const uint32_t k = layout.code_symbols();
  const uint32_t here = layout.packets_in(group);
  std::array<std::byte*, ReedSolomon::kMaxSymbols> symbols{};
  ReedSolomon::Present present;
  std::byte* const padded = codes.symbols(layout);
  for (uint32_t number = 0; number < k; ++number) {
    const uint32_t packet = layout.packet(group, number);
    if (number >= here) {  // a group with one packet fewer is padded with zeros
      present.set(number);
    } else if (has(packet)) {  // shorter ones are padded with zeros
      symbols[number] = padded + size_t{number} * layout.symbol_bytes;
      const Bytes symbol = data.symbol(packet);
      std::ranges::copy(symbol, symbols[number]);
      std::fill(symbols[number] + symbol.size(), symbols[number] + layout.symbol_bytes, std::byte{0});
      present.set(number);
    } else {
      const MutableBytes memory = data.take(layout.symbol_bytes);
      if (memory.empty()) return 0;
      symbols[number] = memory.data();
    }
  }
  if (!restore(group, symbols, present, codes)) return 0;

  uint32_t repaired = 0;
  for (uint32_t number = 0; number < here; ++number) {
    const uint32_t packet = layout.packet(group, number);
    if (has(packet)) continue;
    if (!data.put(packet, {symbols[number], layout.symbol_bytes})) {
      groups_[group].broken = true;
      continue;
    }
    packets_[packet] = 1;
    ++groups_[group].packets;
    ++repaired;
  }
  return repaired;
}

}  // namespace texcast::transport
