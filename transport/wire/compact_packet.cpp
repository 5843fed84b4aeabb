#include "transport/compact_packet.h"

#include <cmath>

#include "base/ensure.h"
#include "delays.h"

namespace texcast::transport {
namespace {

// All offsets count from after the four bytes at the beginning of texcast's datagrams.
constexpr size_t kHeadBytes = kCompactHeaderBytes - kOwnHeaderBytes;
constexpr size_t kParityFieldsBytes = kCompactParityHeaderBytes - kOwnHeaderBytes - kCompactDescriptionBytes;
constexpr size_t kSsrcAt = 0, kTimestampAt = 4, kFirstNumberAt = 8, kFlagsAt = 10, kDescriptionNumberAt = 11,
                 kBufferIdAt = 12, kSecondNumberAt = 16, kThirdNumberAt = 18;
constexpr size_t kSymbolBytesAt = 20, kParityAt = 22, kParityNumberAt = 23;
constexpr uint32_t kDescriptionBit = 1, kAnswersBit = 2, kTileRequestsBit = 4, kParityBit = 8;

constexpr uint32_t kAllBit = 1u << 31, kNoStateBit = 1u << 31;
constexpr size_t kTileRangesAt = kTileRequestHeaderBytes - kOwnHeaderBytes;
constexpr size_t kTileSumsAt = kTileSumsHeaderBytes - kOwnHeaderBytes;

CompactHead parse_head(Bytes body) {
  const uint8_t flags = load_u8(body, kFlagsAt);
  return {.ssrc = load_be32(body, kSsrcAt),
          .timestamp = load_be32(body, kTimestampAt),
          .answers_requests = (flags & kAnswersBit) != 0,
          .takes_tile_requests = (flags & kTileRequestsBit) != 0,
          .parity_follows = (flags & kParityBit) != 0,
          .description_number = load_u8(body, kDescriptionNumberAt),
          .buffer_id = load_be32(body, kBufferIdAt) & kBufferIdMask};
}

void write_head(MutableBytes body, const CompactHead& head, bool described) {
  const uint32_t flags = (described ? kDescriptionBit : 0) | (head.answers_requests ? kAnswersBit : 0) |
                         (head.takes_tile_requests ? kTileRequestsBit : 0) | (head.parity_follows ? kParityBit : 0);
  store_be32(body, kSsrcAt, head.ssrc);
  store_be32(body, kTimestampAt, head.timestamp);
  store_be<1>(body, kFlagsAt, flags);
  store_be<1>(body, kDescriptionNumberAt, head.description_number);
  store_be32(body, kBufferIdAt, head.buffer_id & kBufferIdMask);
}

std::optional<CompactDescription> parse_description(Bytes bytes) {
  CompactDescription d{.texture_format = load_u8(bytes, 0),
                       .matrix = load_u8(bytes, 1),
                       .range = load_u8(bytes, 2),
                       .primaries = load_u8(bytes, 3),
                       .transfer = load_u8(bytes, 4),
                       .coding = load_u8(bytes, 5),
                       .pixel_aspect = load_be16(bytes, 6),
                       .width = load_be16(bytes, 8),
                       .height = load_be16(bytes, 10),
                       .rate = {load_be32(bytes, 12), load_be32(bytes, 16)},
                       .coder = load_be32(bytes, 20)};
  d.available = time_from_wire(load_be64(bytes, 24));
  d.encoded = plus_delay(d.available, load_be32(bytes, 32));
  d.sent = plus_delay(d.encoded, load_be32(bytes, 36));
  const bool good = d.texture_format != 0 && d.coding != 0 && d.width != 0 && d.height != 0 && is_plausible(d.rate);
  return good ? std::optional(d) : std::nullopt;
}

void write_description(MutableBytes out, const CompactDescription& d) {
  store_be<1>(out, 0, d.texture_format);
  store_be<1>(out, 1, d.matrix);
  store_be<1>(out, 2, d.range);
  store_be<1>(out, 3, d.primaries);
  store_be<1>(out, 4, d.transfer);
  store_be<1>(out, 5, d.coding);
  store_be16(out, 6, d.pixel_aspect);
  store_be16(out, 8, d.width);
  store_be16(out, 10, d.height);
  store_be32(out, 12, d.rate.frames);
  store_be32(out, 16, d.rate.seconds);
  store_be32(out, 20, d.coder);
  store_be64(out, 24, time_to_wire(d.available));
  store_be32(out, 32, delay_us(d.available, d.encoded));
  store_be32(out, 36, delay_us(d.encoded, d.sent));
}

}  // namespace

FrameRate frame_rate_of(double fps) {
  if (!(fps >= 0.001 && fps <= 10'000)) return {30, 1};
  // Convergents of the continued fraction.
  uint64_t frames = 1, seconds = 0, frames_before = 0, seconds_before = 1;
  double rest = fps;
  for (int i = 0; i < 32; ++i) {
    const double whole = std::floor(rest);
    const auto term = static_cast<uint64_t>(whole);
    const uint64_t next_frames = term * frames + frames_before, next_seconds = term * seconds + seconds_before;
    if (next_frames > UINT32_MAX || next_seconds > UINT32_MAX) break;
    frames_before = frames;
    seconds_before = seconds;
    frames = next_frames;
    seconds = next_seconds;
    const double off = fps - static_cast<double>(frames) / static_cast<double>(seconds);
    if (std::abs(off) <= fps * 1e-9 || rest - whole < 1e-9) break;
    rest = 1 / (rest - whole);
    if (rest > UINT32_MAX) break;
  }
  return {static_cast<uint32_t>(frames), static_cast<uint32_t>(seconds)};
}

bool is_plausible(const FrameRate& rate) {
  return rate.frames != 0 && rate.seconds != 0 && rate.frames <= uint64_t{10'000} * rate.seconds &&
         rate.seconds <= uint64_t{1000} * rate.frames;
}

PacketRange TileRequest::range(size_t index) const { return range_at(range_bytes, index); }

std::optional<CompactPacket> parse_compact(Bytes body) {
  if (body.size() <= kHeadBytes) return std::nullopt;
  CompactPacket packet{.head = parse_head(body),
                       .sequence = load_be16(body, kFirstNumberAt),
                       .number = load_be16(body, kSecondNumberAt),
                       .packets = load_be16(body, kThirdNumberAt),
                       .payload = body.subspan(kHeadBytes)};
  if (packet.packets != 0 ? packet.number >= packet.packets : packet.number >= kMostPayloads) return std::nullopt;
  if ((load_u8(body, kFlagsAt) & kDescriptionBit) == 0) return packet;
  if (packet.payload.size() <= kCompactDescriptionBytes) return std::nullopt;
  packet.description = parse_description(packet.payload);
  packet.payload = packet.payload.subspan(kCompactDescriptionBytes);
  return packet.description ? std::optional(packet) : std::nullopt;
}

std::optional<CompactParityPacket> parse_compact_parity(Bytes body) {
  if (body.size() <= kParityFieldsBytes + kCompactDescriptionBytes) return std::nullopt;
  const auto description = parse_description(body.subspan(kParityFieldsBytes));
  if (!description) return std::nullopt;
  CompactParityPacket packet{.head = parse_head(body),
                             .group = load_be16(body, kFirstNumberAt),
                             .packets = load_be16(body, kSecondNumberAt),
                             .groups = load_be16(body, kThirdNumberAt),
                             .symbol_bytes = load_be16(body, kSymbolBytesAt),
                             .parity = load_u8(body, kParityAt),
                             .number = load_u8(body, kParityNumberAt),
                             .description = *description,
                             .symbol = body.subspan(kParityFieldsBytes + kCompactDescriptionBytes)};
  if (packet.packets == 0 || packet.group >= packet.groups || packet.number >= packet.parity ||
      packet.symbol.size() != packet.symbol_bytes)
    return std::nullopt;
  return packet;
}

std::optional<TileRequest> parse_tile_request(Bytes body) {
  if (body.size() < kTileRangesAt) return std::nullopt;
  const uint32_t newest = load_be32(body, 4), state = load_be32(body, 8);
  TileRequest request{.ssrc = load_be32(body, 0),
                      .newest = newest & kBufferIdMask,
                      .all = (newest & kAllBit) != 0,
                      .ranges = load_be16(body, 12),
                      .range_bytes = body.subspan(kTileRangesAt)};
  if ((state & kNoStateBit) == 0) request.state = state & kBufferIdMask;
  if (request.ranges > TileRequest::kMaxRanges || (request.ranges == 0 && !request.all)) return std::nullopt;
  if (request.range_bytes.size() < 4 * request.ranges) return std::nullopt;
  for (size_t i = 0; i < request.ranges; ++i)
    if (request.range(i).count == 0) return std::nullopt;
  return request;
}

std::optional<TileSums> parse_tile_sums(Bytes body) {
  if (body.size() < kTileSumsAt) return std::nullopt;
  TileSums packet{.ssrc = load_be32(body, 0),
                  .buffer_id = load_be32(body, 4) & kBufferIdMask,
                  .first_row = load_be16(body, 8),
                  .rows = load_be16(body, 10)};
  if (packet.rows == 0 || packet.rows > TileSums::kMaxRows || body.size() < kTileSumsAt + 4 * packet.rows)
    return std::nullopt;
  packet.sum_bytes = body.subspan(kTileSumsAt, 4 * packet.rows);
  return packet;
}

std::optional<PacketNumbers> packet_numbers(Bytes datagram) {
  if (const auto own = parse_own_datagram(datagram)) {
    if (own->type != static_cast<uint8_t>(OwnType::compact) || own->body.size() < kHeadBytes) return std::nullopt;
    const bool described = (load_u8(own->body, kFlagsAt) & kDescriptionBit) != 0;
    return PacketNumbers{.ssrc = load_be32(own->body, kSsrcAt),
                         .timestamp = load_be32(own->body, kTimestampAt),
                         .sequence = load_be16(own->body, kFirstNumberAt),
                         .header_bytes = kCompactHeaderBytes + (described ? kCompactDescriptionBytes : 0)};
  }
  if (datagram.size() < kRtpHeaderBytes || load_u8(datagram, 0) >> 6 != 2) return std::nullopt;
  const bool extended = (load_u8(datagram, 0) & 0x10) != 0 && datagram.size() >= kRtpHeaderBytes + 4;
  return PacketNumbers{
      .ssrc = load_be32(datagram, 8),
      .timestamp = load_be32(datagram, 4),
      .sequence = load_be16(datagram, 2),
      .header_bytes =
          kRtpHeaderBytes + (extended ? 4 + size_t{load_be16(datagram, kRtpHeaderBytes + 2)} * 4 : size_t{0})};
}

size_t write_compact_header(MutableBytes out, const CompactPacket& packet) {
  write_own_header(out, OwnType::compact);
  const MutableBytes body = out.subspan(kOwnHeaderBytes);
  write_head(body, packet.head, packet.description.has_value());
  store_be16(body, kFirstNumberAt, packet.sequence);
  store_be16(body, kSecondNumberAt, packet.number);
  store_be16(body, kThirdNumberAt, packet.packets);
  if (!packet.description) return kCompactHeaderBytes;
  write_description(body.subspan(kHeadBytes), *packet.description);
  return kCompactHeaderBytes + kCompactDescriptionBytes;
}

size_t write_compact_parity_header(MutableBytes out, const CompactParityPacket& packet) {
  write_own_header(out, OwnType::compact_parity);
  const MutableBytes body = out.subspan(kOwnHeaderBytes);
  write_head(body, packet.head, true);
  store_be16(body, kFirstNumberAt, packet.group);
  store_be16(body, kSecondNumberAt, packet.packets);
  store_be16(body, kThirdNumberAt, packet.groups);
  store_be16(body, kSymbolBytesAt, packet.symbol_bytes);
  store_be<1>(body, kParityAt, packet.parity);
  store_be<1>(body, kParityNumberAt, packet.number);
  write_description(body.subspan(kParityFieldsBytes), packet.description);
  return kCompactParityHeaderBytes;
}

size_t write_tile_request(MutableBytes out, const TileRequest& request, std::span<const PacketRange> ranges) {
  ENSURE(ranges.size() <= TileRequest::kMaxRanges && (request.all || !ranges.empty()));
  write_own_header(out, OwnType::tile_request);
  const MutableBytes body = out.subspan(kOwnHeaderBytes);
  store_be32(body, 0, request.ssrc);
  store_be32(body, 4, (request.all ? kAllBit : 0) | (request.newest & kBufferIdMask));
  store_be32(body, 8, request.state ? *request.state & kBufferIdMask : kNoStateBit);
  store_be16(body, 12, static_cast<uint16_t>(ranges.size()));
  store_be16(body, 14, 0);  // reserved
  for (size_t i = 0; i < ranges.size(); ++i) write_range(body, kTileRangesAt + 4 * i, ranges[i]);
  return kTileRequestHeaderBytes + 4 * ranges.size();
}

size_t write_tile_sums(MutableBytes out, const TileSums& packet, std::span<const uint32_t> sums) {
  ENSURE(!sums.empty() && sums.size() <= TileSums::kMaxRows);
  write_own_header(out, OwnType::tile_sums);
  const MutableBytes body = out.subspan(kOwnHeaderBytes);
  store_be32(body, 0, packet.ssrc);
  store_be32(body, 4, packet.buffer_id & kBufferIdMask);
  store_be16(body, 8, packet.first_row);
  store_be16(body, 10, static_cast<uint16_t>(sums.size()));
  for (size_t i = 0; i < sums.size(); ++i) store_be32(body, kTileSumsAt + 4 * i, sums[i]);
  return kTileSumsHeaderBytes + 4 * sums.size();
}

}  // namespace texcast::transport
