// frame_parity.h — the packets of one frame as symbols of a code: which are there, and those that parity gives back.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "payload_slots.h"
#include "reassembler.h"
#include "transport/packet.h"
#include "transport/reed_solomon.h"
#include "transport/symbol_layout.h"

namespace texcast::transport {

// Codes used last: frames in progress share them. Not thread-safe.
class ParityCodes {
 public:
  ReedSolomon& code(const SymbolLayout& layout);  // valid until the next call
  // Memory for the symbols of a group, valid until the next call.
  std::byte* symbols(const SymbolLayout& layout) {
    symbols_.resize(size_t{layout.code_symbols()} * layout.symbol_bytes);
    return symbols_.data();
  }

 private:
  std::vector<std::byte> symbols_;
  std::unique_ptr<ReedSolomon> code_;
};

// Its memory is kept from frame to frame. It holds no more parity than can still be of use: never more than the frame's
// own bytes (rounded up to symbols).
class FrameParity {
 public:
  void begin();  // another frame, of which nothing is known
  // What a packet of it says, where that can be (SymbolLayout::checked()). The first is believed; false where this one
  // says something else, and where what has come already does not go with it.
  bool learn(const std::optional<SymbolLayout>& layout);
  bool learn(const StreamExtension& e, uint32_t frame_bytes) {
    return learn(SymbolLayout::checked(frame_bytes, e.symbol_bytes, e.groups, e.parity));
  }
  // Of a compact frame, whose layout comes with its parity: until then it has so many packets, as far as is known, and
  // parity where the packets say so. More or fewer than before, but none fewer than packets_front().
  void expect(uint32_t packets, bool parity_follows);
  // Bytes of parity that a frame of the layout may keep; what is held for it, and for frames to come.
  static size_t store_bytes(const SymbolLayout& layout);
  size_t capacity() const { return store_capacity_; }
  void release();  // where no frame is in progress
  bool known() const { return layout_.has_value(); }
  bool expected_only() const { return expected_only_; }    // by expect(): how many packets there are may change
  bool parity_unknown() const { return parity_unknown_; }  // there will be some, but not how much
  const SymbolLayout& layout() const { return *layout_; }  // where known()

  // These bytes of the frame have been put into its buffer. Only whole packets count.
  void arrived(uint32_t offset, size_t bytes);
  void arrived(uint32_t packet);                   // one of the frame's
  enum class Added { taken, duplicate, refused };  // refused: not of this layout
  Added add(uint32_t group, uint32_t number, Bytes symbol);
  // Writes the group's missing packets into `data`, where that is possible now. Gives their number.
  uint32_t repair(uint32_t group, Reassembler& data, ParityCodes& codes);
  uint32_t repair(uint32_t group, PayloadSlots& data, ParityCodes& codes);

  // A packet that the frame does not have, as is known now, is not missing.
  bool has(uint32_t packet) const { return packet >= packets_.size() || packets_[packet] != 0; }
  uint32_t missing(uint32_t group) const { return layout_->packets_in(group) - groups_[group].packets; }
  uint32_t parity_there(uint32_t group) const { return groups_[group].parity; }
  bool repairable(uint32_t group) const {
    return missing(group) > 0 && missing(group) <= groups_[group].parity && !groups_[group].broken;
  }
  // One past the last packet, and the last parity packet in the order of sending, that came.
  uint32_t packets_front() const { return packets_front_; }
  uint32_t parity_front() const { return parity_front_; }
  uint32_t group_of(uint32_t offset) const { return offset / layout_->symbol_bytes % layout_->groups; }

 private:
  struct Group {
    uint32_t packets = 0;  // there, or repaired
    uint32_t parity = 0;   // stored
    bool broken = false;   // it gives back what can be no payload
  };
  // Makes the data symbols of a group that are not present, with its stored parity, which gets its place behind them.
  // False where that is too little.
  bool restore(uint32_t group, std::span<std::byte*> symbols, ReedSolomon::Present& present, ParityCodes& codes);
  std::byte* stored(uint32_t symbol) { return store_.get() + size_t{symbol} * layout_->symbol_bytes; }

  std::optional<SymbolLayout> layout_;
  bool expected_only_ = false, parity_unknown_ = false;
  std::vector<uint8_t> packets_;  // 1: there
  std::vector<Group> groups_;
  std::vector<uint32_t> parity_at_;     // [group * parity + number]: 1 + where it is stored
  std::unique_ptr<std::byte[]> store_;  // symbols, the last of them scratch for the frame's end
  size_t store_capacity_ = 0;
  uint32_t stored_ = 0;
  std::vector<std::byte> pieces_;  // of repair()
  uint32_t packets_front_ = 0, parity_front_ = 0;
};

}  // namespace texcast::transport
