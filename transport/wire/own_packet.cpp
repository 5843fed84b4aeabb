#include "transport/own_packet.h"

#include "base/ensure.h"

namespace texcast::transport {
namespace {

// Offsets count from after the four bytes at the beginning of texcast's datagrams.
constexpr size_t kParityExtensionAt = 12;
constexpr size_t kExtensionBody = kLongExtensionBytes - 4;
constexpr size_t kParityVideoAt = kParityExtensionAt + kExtensionBody;
constexpr size_t kParityBodyBytes = kParityVideoAt + kVideoHeaderBytes;
static_assert(kOwnHeaderBytes + kParityBodyBytes == kParityHeaderBytes);

constexpr size_t kRangesAt = kRequestHeaderBytes - kOwnHeaderBytes;
constexpr int kRangeCountBits = 12;

}  // namespace

void write_own_header(MutableBytes out, OwnType type) {
  store_be16(out, 0, kExtensionId);
  store_be<1>(out, 2, kOwnVersion);
  store_be<1>(out, 3, static_cast<uint32_t>(type));
}

std::optional<OwnDatagram> parse_own_datagram(Bytes datagram, OwnType type) {
  const auto own = parse_own_datagram(datagram);
  return own && own->type == static_cast<uint8_t>(type) ? own : std::nullopt;
}

PacketRange range_at(Bytes range_bytes, size_t index) {
  const uint32_t word = load_be32(range_bytes, 4 * index);
  return {word >> kRangeCountBits, word & PacketRange::kMaxCount};
}

void write_range(MutableBytes out, size_t offset, const PacketRange& range) {
  ENSURE(range.first <= PacketRange::kMaxFirst && range.count >= 1 && range.count <= PacketRange::kMaxCount);
  store_be32(out, offset, range.first << kRangeCountBits | range.count);
}

PacketRange RetransmitRequest::range(size_t index) const { return range_at(range_bytes, index); }

std::optional<ParityPacket> parse_parity(Bytes body) {
  if (body.size() <= kParityBodyBytes) return std::nullopt;
  const auto extension = parse_stream_extension(body.subspan(kParityExtensionAt, kExtensionBody));
  const auto video = parse_video_header(body.subspan(kParityVideoAt));
  if (!extension || !video) return std::nullopt;
  ParityPacket packet{.ssrc = load_be32(body, 0),
                      .timestamp = load_be32(body, 4),
                      .group = load_be16(body, 8),
                      .number = load_u8(body, 10),
                      .extension = *extension,
                      .video = *video,
                      .symbol = body.subspan(kParityBodyBytes)};
  if (packet.symbol.size() != extension->symbol_bytes || packet.group >= extension->groups ||
      packet.number >= extension->parity)
    return std::nullopt;
  return packet;
}

std::optional<RetransmitRequest> parse_request(Bytes body) {
  if (body.size() < kRangesAt) return std::nullopt;
  RetransmitRequest request{.ssrc = load_be32(body, 0),
                            .buffer_id = load_be32(body, 4) & kBufferIdMask,
                            .ranges = load_be16(body, 8),
                            .range_bytes = body.subspan(kRangesAt)};
  if (request.ranges == 0 || request.ranges > RetransmitRequest::kMaxRanges) return std::nullopt;
  if (request.range_bytes.size() < 4 * request.ranges) return std::nullopt;
  for (size_t i = 0; i < request.ranges; ++i)
    if (request.range(i).count == 0) return std::nullopt;
  return request;
}

size_t write_parity_header(MutableBytes out, const ParityPacket& packet) {
  ENSURE(packet.extension.has_symbols());
  write_own_header(out, OwnType::parity);
  const MutableBytes body = out.subspan(kOwnHeaderBytes);
  store_be32(body, 0, packet.ssrc);
  store_be32(body, 4, packet.timestamp);
  // The extension is preceded by four bytes, which the fields below then overwrite.
  write_stream_extension(body.subspan(kParityExtensionAt - 4), packet.extension);
  store_be16(body, 8, packet.group);
  store_be<1>(body, 10, packet.number);
  store_be<1>(body, 11, 0);  // reserved
  write_video_header(body.subspan(kParityVideoAt), packet.video);
  return kParityHeaderBytes;
}

size_t write_request(MutableBytes out, uint32_t ssrc, uint32_t buffer_id, std::span<const PacketRange> ranges) {
  ENSURE(!ranges.empty() && ranges.size() <= RetransmitRequest::kMaxRanges);
  write_own_header(out, OwnType::request);
  const MutableBytes body = out.subspan(kOwnHeaderBytes);
  store_be32(body, 0, ssrc);
  store_be32(body, 4, buffer_id & kBufferIdMask);
  store_be16(body, 8, static_cast<uint16_t>(ranges.size()));
  store_be16(body, 10, 0);  // reserved
  for (size_t i = 0; i < ranges.size(); ++i) write_range(body, kRangesAt + 4 * i, ranges[i]);
  return kRequestHeaderBytes + 4 * ranges.size();
}

}  // namespace texcast::transport
