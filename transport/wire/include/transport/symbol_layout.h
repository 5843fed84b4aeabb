// symbol_layout.h — the packets of a frame as symbols of a Reed-Solomon code. Arithmetic only.
//
// Packet i is a symbol: `symbol_bytes` of the frame from i * symbol_bytes on; the last one is padded with zeros. It
// belongs to group i mod `groups`, as number i / groups, so that a burst of losses spreads over all groups. Each group
// has `parity` parity symbols. Any of a group's symbols, as many as it has packets, recover the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace texcast::transport {

struct SymbolLayout {
  static constexpr uint32_t kMaxGroupSymbols = 255;  // data and parity of a group: the limit of GF(2^8)
  static constexpr uint32_t kSymbolUnit = 16;  // symbol_bytes is a multiple, so that a packet contains whole blocks
  static constexpr uint32_t kLeastSymbolBytes = 256;  // packets of 576 bytes have room for more

  uint32_t frame_bytes = 0;
  uint32_t symbol_bytes = 0;
  uint32_t groups = 1;
  uint32_t parity = 0;  // of each group; 0: no code, one group of any size

  // For sending: the smallest number of groups, with parity_percent (0 … 100) of the largest group's packets, rounded
  // up, but at least 1, or 2 if the frame has more than four packets. 0 %: none.
  static SymbolLayout plan(size_t frame_bytes, size_t symbol_bytes, double parity_percent);
  // From the wire: nothing if it is invalid (there is at most as much parity as data, or two packets).
  static std::optional<SymbolLayout> checked(uint32_t frame_bytes, uint32_t symbol_bytes, uint32_t groups,
                                             uint32_t parity);

  // The same for packets that are payloads of any length, a symbol each (compact_packet.h): `frame_bytes` is the size
  // of all symbols. 1 … kMostPayloads packets; symbols of at least kSymbolUnit.
  static SymbolLayout plan_payloads(uint32_t packets, size_t symbol_bytes, double parity_percent);
  static std::optional<SymbolLayout> checked_payloads(uint32_t packets, uint32_t symbol_bytes, uint32_t groups,
                                                      uint32_t parity);

  uint32_t packets() const { return (frame_bytes + symbol_bytes - 1) / symbol_bytes; }
  uint32_t parity_packets() const { return groups * parity; }
  // Data symbols of the code. Groups with one packet fewer have a symbol of zeros as their last.
  uint32_t code_symbols() const { return (packets() + groups - 1) / groups; }
  uint32_t packets_in(uint32_t group) const { return (packets() - group + groups - 1) / groups; }
  uint32_t packet(uint32_t group, uint32_t number) const { return number * groups + group; }
  uint32_t offset(uint32_t packet) const { return packet * symbol_bytes; }
  uint32_t size(uint32_t packet) const {  // the packet's bytes of the frame
    const uint32_t left = frame_bytes - offset(packet);
    return left < symbol_bytes ? left : symbol_bytes;
  }
  bool operator==(const SymbolLayout&) const = default;
};

}  // namespace texcast::transport
