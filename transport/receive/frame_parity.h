// frame_parity.h — the packets of one frame as symbols of an erasure code: which have arrived, and recovery of lost
// ones by parity. No I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "payload_slots.h"
#include "tile_buffer.h"
#include "transport/packet.h"
#include "transport/reed_solomon.h"
#include "transport/symbol_layout.h"

namespace texcast::transport {

// The codes used last, shared by all frames in progress. Not thread-safe.
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

// Its memory is reused from frame to frame. It stores only parity that can still be of use: never more than the frame's
// own bytes (rounded up to symbols).
class FrameParity {
 public:
  void begin();  // begins another frame
  // The layout that a packet announces (SymbolLayout::checked()). The first one counts. False if this one differs, or
  // contradicts what has arrived already.
  bool learn(const std::optional<SymbolLayout>& layout);
  bool learn(const StreamExtension& e, uint32_t frame_bytes) {
    return learn(SymbolLayout::checked(frame_bytes, e.symbol_bytes, e.groups, e.parity));
  }
  // For a coded frame, whose layout arrives with its parity: until then it has this many packets as far as is known,
  // and parity if the packets announce it. The number may rise or fall, but not below packets_front().
  void expect(uint32_t packets, bool parity_follows);
  // Bytes of parity that a frame of the layout may store; and the memory held for it and for later frames.
  static size_t store_bytes(const SymbolLayout& layout);
  size_t capacity() const { return store_capacity_; }
  void release();  // requires that no frame is in progress
  bool known() const { return layout_.has_value(); }
  bool expected_only() const { return expected_only_; }    // set by expect(): the number of packets may change
  bool parity_unknown() const { return parity_unknown_; }  // parity follows, but its amount is unknown
  const SymbolLayout& layout() const { return *layout_; }  // requires known()

  // These bytes were put into the frame's buffer. Only whole packets count.
  void arrived(uint32_t offset, size_t bytes);
  void arrived(uint32_t packet);                   // a packet of the frame
  enum class Added { taken, duplicate, refused };  // refused: not of this layout
  Added add(uint32_t group, uint32_t number, Bytes symbol);
  // Writes the group's missing packets into `data`, if they can be recovered now. Returns their number.
  uint32_t repair(uint32_t group, TileBuffer& data, ParityCodes& codes);
  uint32_t repair(uint32_t group, PayloadSlots& data, ParityCodes& codes);

  // A packet beyond the frame's end, as far as that is known, is not missing.
  bool has(uint32_t packet) const { return packet >= packets_.size() || packets_[packet] != 0; }
  uint32_t missing(uint32_t group) const { return layout_->packets_in(group) - groups_[group].packets; }
  uint32_t parity_there(uint32_t group) const { return groups_[group].parity; }
  bool repairable(uint32_t group) const {
    return missing(group) > 0 && missing(group) <= groups_[group].parity && !groups_[group].broken;
  }
  // One past the last packet, and one past the last parity packet in sending order, that arrived.
  uint32_t packets_front() const { return packets_front_; }
  uint32_t parity_front() const { return parity_front_; }
  uint32_t group_of(uint32_t offset) const { return offset / layout_->symbol_bytes % layout_->groups; }

 private:
  struct Group {
    uint32_t packets = 0;  // arrived or recovered
    uint32_t parity = 0;   // stored
    bool broken = false;   // recovery yields an invalid payload
  };
  // Recovers the data symbols of a group that are not present from its stored parity, which is put behind them. False
  // if there is too little parity.
  bool restore(uint32_t group, std::span<std::byte*> symbols, ReedSolomon::Present& present, ParityCodes& codes);
  std::byte* stored(uint32_t symbol) { return store_.get() + size_t{symbol} * layout_->symbol_bytes; }

  std::optional<SymbolLayout> layout_;
  bool expected_only_ = false, parity_unknown_ = false;
  std::vector<uint8_t> packets_;  // 1: it is there
  std::vector<Group> groups_;
  std::vector<uint32_t> parity_at_;     // [group * parity + number]: 1 + its place in store_
  std::unique_ptr<std::byte[]> store_;  // symbols; the last one is scratch memory for the frame's end
  size_t store_capacity_ = 0;
  uint32_t stored_ = 0;
  std::vector<std::byte> pieces_;  // used by repair()
  uint32_t packets_front_ = 0, parity_front_ = 0;
};

}  // namespace texcast::transport
