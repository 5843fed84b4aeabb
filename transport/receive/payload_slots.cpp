#include "payload_slots.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/ensure.h"
#include "transport/compact_packet.h"
#include "transport/symbol_layout.h"

namespace texcast::transport {
namespace {

size_t symbol_bytes_of(size_t payload_bytes) {
  constexpr size_t kUnit = SymbolLayout::kSymbolUnit;
  return (kPayloadLengthBytes + payload_bytes + kUnit - 1) / kUnit * kUnit;
}

}  // namespace

PayloadPages::Page PayloadPages::lend() {
  if (lent_ == most_) return nullptr;
  ++lent_;
  if (free_.empty()) return std::make_unique_for_overwrite<std::byte[]>(kPageBytes);
  Page page = std::move(free_.back());
  free_.pop_back();
  return page;
}

// One large frame does not hold memory for long. Twice the pages in use stay allocated.
void PayloadPages::take_back(Page page) {
  constexpr size_t kSpare = 16;
  --lent_;
  if (free_.size() < 2 * lent_ + kSpare) free_.push_back(std::move(page));
}

void PayloadSlots::begin(PayloadPages& pages) {
  release();
  pages_ = &pages;
}

void PayloadSlots::release() {
  for (PayloadPages::Page& page : lent_) pages_->take_back(std::move(page));
  lent_.clear();
  slots_.clear();
  used_ = longest_ = 0;
  arrived_.clear();
  bytes_ = 0;
}

Bytes PayloadSlots::payload(uint32_t number) const {
  return has(number) ? Bytes(slots_[number].at + kPayloadLengthBytes, slots_[number].length) : Bytes{};
}

Bytes PayloadSlots::symbol(uint32_t number) const {
  ENSURE(has(number));
  return {slots_[number].at, symbol_bytes_of(slots_[number].length)};
}

uint32_t PayloadSlots::prefix() const {
  uint32_t number = 0;
  while (has(number)) ++number;
  return number;
}

MutableBytes PayloadSlots::take(size_t symbol_bytes) {
  ENSURE(pages_ && symbol_bytes <= PayloadPages::kPageBytes);
  if (lent_.empty() || used_ + symbol_bytes > PayloadPages::kPageBytes) {
    PayloadPages::Page page = pages_->lend();
    if (!page) return {};
    lent_.push_back(std::move(page));
    used_ = 0;
  }
  used_ += symbol_bytes;
  return {lent_.back().get() + used_ - symbol_bytes, symbol_bytes};
}

bool PayloadSlots::add(uint32_t number, Bytes payload) {
  ENSURE(!payload.empty() && !has(number));
  const MutableBytes symbol = take(symbol_bytes_of(payload.size()));
  if (symbol.empty()) return false;
  store_be16(symbol, 0, static_cast<uint16_t>(payload.size()));
  std::memcpy(symbol.data() + kPayloadLengthBytes, payload.data(), payload.size());
  const size_t end = kPayloadLengthBytes + payload.size();
  std::memset(symbol.data() + end, 0, symbol.size() - end);
  note(number, symbol.data(), payload.size());
  return true;
}

bool PayloadSlots::put(uint32_t number, MutableBytes symbol) {
  const size_t length = load_be16(symbol, 0);
  if (length == 0 || length > symbol.size() - kPayloadLengthBytes || has(number)) return false;
  note(number, symbol.data(), length);
  return true;
}

void PayloadSlots::note(uint32_t number, const std::byte* symbol, size_t length) {
  if (number >= slots_.size()) slots_.resize(number + 1);
  slots_[number] = {symbol, static_cast<uint32_t>(length)};
  arrived_.push_back(payload(number));
  bytes_ += length;
  longest_ = std::max(longest_, length);
}

}  // namespace texcast::transport
