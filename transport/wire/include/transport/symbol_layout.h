// symbol_layout.h — how the packets of a frame are symbols of a Reed-Solomon code. Pure arithmetic.
//
// Packet i is a symbol: `symbol_bytes` of the frame from i * symbol_bytes on, the frame's last with zeros behind it. It
// is in group i mod `groups`, so that a burst of losses spreads over all groups, as number i / groups. Each group has
// `parity` parity symbols, and any of its symbols, as many as it has packets, give the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace texcast::transport {

struct SymbolLayout {
  static constexpr uint32_t kMaxGroupSymbols = 255;   // data and parity of a group: what GF(2^8) has room for
  static constexpr uint32_t kSymbolUnit = 16;         // symbol_bytes is a multiple: a packet is whole blocks
  static constexpr uint32_t kLeastSymbolBytes = 256;  // packets of 576 bytes have room for more

  uint32_t frame_bytes = 0;
  uint32_t symbol_bytes = 0;
  uint32_t groups = 1;
  uint32_t parity = 0;  // of each group; 0: no code at all, one group of any size

  // For sending: as few groups as there can be, parity_percent of the largest group's packets rounded up, but no fewer
  // than 1, or 2 where the frame has more than four packets. 0 %: none. `parity_percent` 0 … 100.
  static SymbolLayout plan(size_t frame_bytes, size_t symbol_bytes, double parity_percent);
  // From the wire: nothing for what cannot be (as much parity as data, or two packets, are the most).
  static std::optional<SymbolLayout> checked(uint32_t frame_bytes, uint32_t symbol_bytes, uint32_t groups,
                                             uint32_t parity);

  // The same where packets are payloads of any length, a symbol each (compact_packet.h): `frame_bytes` is then all of
  // their symbols. 1 … kMostPayloads packets; symbols of at least kSymbolUnit.
  static SymbolLayout plan_payloads(uint32_t packets, size_t symbol_bytes, double parity_percent);
  static std::optional<SymbolLayout> checked_payloads(uint32_t packets, uint32_t symbol_bytes, uint32_t groups,
                                                      uint32_t parity);

  uint32_t packets() const { return (frame_bytes + symbol_bytes - 1) / symbol_bytes; }
  uint32_t parity_packets() const { return groups * parity; }
  // Data symbols of the code. Groups that have one packet fewer count a symbol of zeros as their last.
  uint32_t code_symbols() const { return (packets() + groups - 1) / groups; }
  uint32_t packets_in(uint32_t group) const { return (packets() - group + groups - 1) / groups; }
  uint32_t packet(uint32_t group, uint32_t number) const { return number * groups + group; }
  uint32_t offset(uint32_t packet) const { return packet * symbol_bytes; }
  uint32_t size(uint32_t packet) const {  // of its bytes of the frame
    const uint32_t left = frame_bytes - offset(packet);
    return left < symbol_bytes ? left : symbol_bytes;
  }
  bool operator==(const SymbolLayout&) const = default;
};

}  // namespace texcast::transport
