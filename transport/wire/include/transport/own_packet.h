// own_packet.h — parses and writes texcast's own datagrams: parity of a frame, and NACKs. They begin with 'T' 'C' (RTP
// version bits 01), so every RTP receiver drops them. docs/wire.md specifies every bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "transport/packet.h"

namespace texcast::transport {

enum class OwnType : uint8_t {
  sealed = 1,
  parity = 2,
  request = 3,
  compact = 4,
  compact_parity = 5,
  tile_request = 6,
  cursor = 8,
  cursor_shape = 9,
  tile_sums = 10,
  envelope_repair = 11,
  envelope_request = 12,
  sound_parity = 16,
};
void write_own_header(MutableBytes out, OwnType type);  // the four bytes at the beginning of all of them
// As parse_own_datagram(datagram), but nothing if the datagram is of another type.
std::optional<OwnDatagram> parse_own_datagram(Bytes datagram, OwnType type);

// Everything before a parity symbol. As long as the headers of a data packet with the long extension, so that all
// datagrams have the same size.
inline constexpr size_t kParityHeaderBytes = 76;
static_assert(kParityHeaderBytes == kRtpHeaderBytes + kLongExtensionBytes + kVideoHeaderBytes);

// A frame may begin with one: it contains everything that a data packet's headers contain.
struct ParityPacket {
  uint32_t ssrc = 0;
  uint32_t timestamp = 0;
  uint16_t group = 0;
  uint8_t number = 0;  // of this symbol among the group's parity symbols
  StreamExtension extension{};
  VideoHeader video{};  // its offset is 0
  Bytes symbol{};       // points into the datagram
};

// Packets [first, first + count) of a frame: 20 and 12 bits on the wire.
struct PacketRange {
  static constexpr uint32_t kMaxFirst = (1u << 20) - 1;
  static constexpr uint32_t kMaxCount = (1u << 12) - 1;
  uint32_t first = 0;
  uint32_t count = 0;
  bool operator==(const PacketRange&) const = default;
};

// Reads range `index` of ranges on the wire, four bytes each; and writes one at an offset in bytes (misuse if it is out
// of bounds).
PacketRange range_at(Bytes range_bytes, size_t index);
void write_range(MutableBytes out, size_t offset, const PacketRange& range);

// A NACK: requests the retransmission of packets.
struct RetransmitRequest {
  static constexpr size_t kMaxRanges = 256;  // a datagram of 1040 bytes
  uint32_t ssrc = 0;                         // of the stream
  uint32_t buffer_id = 0;                    // 22 bits
  size_t ranges = 0;
  Bytes range_bytes{};  // points into the datagram
  PacketRange range(size_t index) const;
};
inline constexpr size_t kRequestHeaderBytes = 16;

// `body` follows the four bytes 'T', 'C', version, type. Nothing if it is too short or contradicts itself. A parity
// symbol has symbol_bytes; a request has 1 … kMaxRanges ranges, none of them empty.
std::optional<ParityPacket> parse_parity(Bytes body);
std::optional<RetransmitRequest> parse_request(Bytes body);

// Write whole headers, 'T' 'C' included, to the beginning of `out`, and return the bytes written.
size_t write_parity_header(MutableBytes out, const ParityPacket& packet);  // without its symbol
size_t write_request(MutableBytes out, uint32_t ssrc, uint32_t buffer_id, std::span<const PacketRange> ranges);

}  // namespace texcast::transport
