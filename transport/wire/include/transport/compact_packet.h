// compact_packet.h — parses and writes the datagrams of coded streams: data, parity, requests for tiles, and tile
// checksums. A coded frame is a list of payloads, one datagram each; this module does not interpret payloads. The
// datagrams are texcast's own types (own_packet.h), so every RTP receiver drops them. Functions over bytes only;
// docs/wire.md specifies every bit.
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
inline constexpr uint32_t kDescribeEvery = 16;    // packets carry a description, besides the last of a frame
inline constexpr uint32_t kMostPayloads = 65535;  // in a frame
inline constexpr size_t kPayloadLengthBytes = 2;  // precedes the payload in a symbol

// Frames per second, as a fraction in lowest terms.
struct FrameRate {
  uint32_t frames = 0;
  uint32_t seconds = 1;
  bool operator==(const FrameRate&) const = default;
  double fps() const { return static_cast<double>(frames) / seconds; }
};
// The fraction with the smallest terms that equals `fps` to nine digits (60000/1001 for 59.94…); 30 for an invalid
// rate.
FrameRate frame_rate_of(double fps);
// True for rates that streams may have: 1/1000 … 10000 frames a second.
bool is_plausible(const FrameRate& rate);

// The stream's description, and the times of the frame whose packet carries it.
struct CompactDescription {
  uint8_t texture_format = 0;  // TextureFormat's value, from 1
  uint8_t matrix = 1, range = 1, primaries = 2, transfer = 2;
  uint8_t coding = 1;         // version of the coding, from 1
  uint16_t pixel_aspect = 0;  // as in StreamExtension
  uint16_t width = 0;         // true size, pixels, from 1
  uint16_t height = 0;
  FrameRate rate{30, 1};
  uint32_t coder = 0;                       // parameters of the coding, opaque here
  WallTime available{}, encoded{}, sent{};  // as in StreamExtension
};

// The common beginning of data and parity packets.
struct CompactHead {
  uint32_t ssrc = 0;
  uint32_t timestamp = 0;         // 90 kHz
  bool answers_requests = false;  // the sender answers NACKs
  bool takes_tile_requests = false;
  bool parity_follows = false;     // parity packets follow the frame's data
  uint8_t description_number = 0;  // changes with the description
  uint32_t buffer_id = 0;          // frame number, 22 bits
};

// One payload. The spans of packets point into the datagram.
struct CompactPacket {
  CompactHead head{};
  uint16_t sequence = 0;
  uint16_t number = 0;   // of the packet within its frame
  uint16_t packets = 0;  // in the frame; 0: not known yet when this one was sent. Never 0 in the last one
  std::optional<CompactDescription> description{};
  Bytes payload{};  // at least 1 byte
};

// A parity symbol. A frame may begin with one, or have nothing else. Data symbol i is the length of payload i (2
// bytes), the payload, and zeros up to `symbol_bytes`.
struct CompactParityPacket {
  CompactHead head{};
  uint16_t group = 0;
  uint16_t packets = 0;  // data packets in the frame, at least 1
  uint16_t groups = 0;
  uint16_t symbol_bytes = 0;
  uint8_t parity = 0;  // parity symbols of each group
  uint8_t number = 0;  // of this symbol among them
  CompactDescription description{};
  Bytes symbol{};
};

// A receiver reports tiles that it has wrong.
struct TileRequest {
  static constexpr size_t kMaxRanges = 256;
  uint32_t ssrc = 0;    // of the stream
  uint32_t newest = 0;  // buffer id of the newest frame that the receiver has seen
  // Buffer id of the frame that the receiver's picture belongs to; nothing: it has no picture.
  std::optional<uint32_t> state{};
  bool all = false;   // every tile; then ranges are optional
  size_t ranges = 0;  // 1 … kMaxRanges, 0 only with `all`
  Bytes range_bytes{};
  PacketRange range(size_t index) const;  // tile numbers: 20 and 12 bits, never empty
};
inline constexpr size_t kTileRequestHeaderBytes = 20;
inline constexpr size_t kMostTileRequestBytes = kTileRequestHeaderBytes + 4 * TileRequest::kMaxRanges;

// The sender's checksums over rows of tiles after a frame, by which a receiver finds undetected errors. The algorithm
// is the coding's.
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

// `body` follows the four bytes 'T', 'C', version, type. Nothing if it is too short or contradicts itself. Parity
// is only checked for a symbol of symbol_bytes and for numbers below those of groups and parity.
std::optional<CompactPacket> parse_compact(Bytes body);
std::optional<CompactParityPacket> parse_compact_parity(Bytes body);
std::optional<TileRequest> parse_tile_request(Bytes body);
std::optional<TileSums> parse_tile_sums(Bytes body);

// The fields from which RTCP reports are made (RFC 3550): of RTP, or of an unencrypted coded data packet. Nothing for
// others, parity included; of RTP only the version is checked. `header_bytes` precede the video header, or the payload;
// a datagram that ends after the header is accepted.
struct PacketNumbers {
  uint32_t ssrc = 0;
  uint32_t timestamp = 0;
  uint16_t sequence = 0;
  size_t header_bytes = 0;
};
std::optional<PacketNumbers> packet_numbers(Bytes datagram);

// Write whole headers, 'T' 'C' included, to the beginning of `out`, and return the bytes written.
size_t write_compact_header(MutableBytes out, const CompactPacket& packet);               // without its payload
size_t write_compact_parity_header(MutableBytes out, const CompactParityPacket& packet);  // without its symbol
// Ignores `request.ranges` and `range_bytes`.
size_t write_tile_request(MutableBytes out, const TileRequest& request, std::span<const PacketRange> ranges);
// Ignores `packet.rows` and `sum_bytes`.
size_t write_tile_sums(MutableBytes out, const TileSums& packet, std::span<const uint32_t> sums);

}  // namespace texcast::transport
