// compact_packet.h — the datagrams of compact streams taken apart and put together: data, parity, requests for tiles,
// and sums over them. A compact frame is a list of payloads, a datagram each; what is in them is the coder's matter.
// texcast's own datagrams (own_packet.h), so every RTP receiver drops them. Pure functions over bytes; docs/wire.md has
// every bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/own_packet.h"
#include "transport/stream.h"

namespace texcast::transport {

inline constexpr size_t kCompactHeaderBytes = 24;
inline constexpr size_t kCompactDescriptionBytes = 40;
inline constexpr size_t kCompactParityHeaderBytes = 68;
inline constexpr uint32_t kMostPayloads = 65535;  // of a frame
inline constexpr size_t kPayloadLengthBytes = 2;  // in front of the payload, in a symbol

// Frames a second, as a fraction in its lowest terms.
struct FrameRate {
  uint32_t frames = 0;
  uint32_t seconds = 1;
  bool operator==(const FrameRate&) const = default;
  double fps() const { return static_cast<double>(frames) / seconds; }
};
// The fraction with the smallest terms that is `fps` to nine digits (60000/1001 for 59.94…); 30 for what is none.
FrameRate frame_rate_of(double fps);
// What frames of a stream may come at: 1/1000 … 10000 a second.
bool is_plausible(const FrameRate& rate);

// What the stream is, and the times of the frame whose packet it is in.
struct CompactDescription {
  uint8_t texture_format = 0;  // TextureFormat's value, from 1
  uint8_t matrix = 1, range = 1, primaries = 2, transfer = 2;
  uint8_t coding = 1;         // version of the coder, from 1
  uint16_t pixel_aspect = 0;  // as StreamExtension's
  uint16_t width = 0;         // true size, pixels, from 1
  uint16_t height = 0;
  FrameRate rate{30, 1};
  uint32_t coder = 0;                       // the coder's own
  WallTime available{}, encoded{}, sent{};  // as StreamExtension's
};

// What packets with data and with parity begin with.
struct CompactHead {
  uint32_t ssrc = 0;
  uint32_t timestamp = 0;         // 90 kHz
  bool answers_requests = false;  // the sender sends lost packets again
  bool takes_tile_requests = false;
  bool parity_follows = false;     // the frame has parity, behind its data
  uint8_t description_number = 0;  // another one where the description is another
  uint32_t buffer_id = 0;          // frame number, 22 bits
};

// One payload. The spans of packets point into the datagram.
struct CompactPacket {
  CompactHead head{};
  uint16_t sequence = 0;
  uint16_t number = 0;   // of the packet in its frame
  uint16_t packets = 0;  // in the frame; 0: not known when this one left. The last one always knows
  std::optional<CompactDescription> description{};
  Bytes payload{};  // 1 byte or more
};

// A symbol of parity; a frame may begin with one, or have nothing else. Data symbol i is 2 bytes with the length of
// payload i, the payload, and zeros up to `symbol_bytes`.
struct CompactParityPacket {
  CompactHead head{};
  uint16_t group = 0;
  uint16_t packets = 0;  // with data, in the frame: 1 or more
  uint16_t groups = 0;
  uint16_t symbol_bytes = 0;
  uint8_t parity = 0;  // symbols of each group
  uint8_t number = 0;  // which of them this is
  CompactDescription description{};
  Bytes symbol{};
};

// "These tiles are not right here."
struct TileRequest {
  static constexpr size_t kMaxRanges = 256;
  uint32_t ssrc = 0;                // of the stream
  uint32_t newest = 0;              // buffer id of the newest frame that the receiver knows of
  std::optional<uint32_t> state{};  // of the frame that what the receiver has is of; nothing: it has nothing yet
  bool all = false;                 // every tile, ranges or not
  size_t ranges = 0;                // 1 … kMaxRanges, 0 only with `all`
  Bytes range_bytes{};
  PacketRange range(size_t index) const;  // of tile numbers, 20 and 12 bits, never empty
};
inline constexpr size_t kTileRequestHeaderBytes = 20;
inline constexpr size_t kMostTileRequestBytes = kTileRequestHeaderBytes + 4 * TileRequest::kMaxRanges;

// "Behind that frame these rows of tiles add up to this." From the sender, so that a receiver learns what it has wrong
// without knowing; how they add up is the coder's matter.
struct TileSums {
  static constexpr size_t kMaxRows = 256;
  uint32_t ssrc = 0;       // of the stream
  uint32_t buffer_id = 0;  // of the frame
  uint16_t first_row = 0;
  size_t rows = 0;  // 1 … kMaxRows
  Bytes sum_bytes{};
  uint32_t sum(size_t index) const { return load_be32(sum_bytes, 4 * index); }
};
inline constexpr size_t kTileSumsHeaderBytes = 16;
inline constexpr size_t kMostTileSumsBytes = kTileSumsHeaderBytes + 4 * TileSums::kMaxRows;

// `body` is what follows the four bytes 'T', 'C', version, type. Nothing for what is too short or contradicts itself.
// Of parity only that its symbol is symbol_bytes long, and its numbers below those of groups and parity.
std::optional<CompactPacket> parse_compact(Bytes body);
std::optional<CompactParityPacket> parse_compact_parity(Bytes body);
std::optional<TileRequest> parse_tile_request(Bytes body);
std::optional<TileSums> parse_tile_sums(Bytes body);

// What RFC 3550's reports are made from, of a datagram with data: RTP, or a compact packet in the clear. Nothing for
// others, parity among them; more than RTP's version is not looked at. `header_bytes` are those before the video
// header, or the payload; the bytes of a header alone are enough.
struct PacketNumbers {
  uint32_t ssrc = 0;
  uint32_t timestamp = 0;
  uint16_t sequence = 0;
  size_t header_bytes = 0;
};
std::optional<PacketNumbers> packet_numbers(Bytes datagram);

// Whole headers, 'T' 'C' included, to the front of `out`; give the bytes written.
size_t write_compact_header(MutableBytes out, const CompactPacket& packet);               // without its payload
size_t write_compact_parity_header(MutableBytes out, const CompactParityPacket& packet);  // without its symbol
// `request.ranges` and `range_bytes` are not looked at.
size_t write_tile_request(MutableBytes out, const TileRequest& request, std::span<const PacketRange> ranges);
// `packet.rows` and `sum_bytes` are not looked at.
size_t write_tile_sums(MutableBytes out, const TileSums& packet, std::span<const uint32_t> sums);

}  // namespace texcast::transport
