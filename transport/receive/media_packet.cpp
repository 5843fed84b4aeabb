#include "media_packet.h"

#include <algorithm>

#include "transport/symbol_layout.h"

namespace texcast::transport {
namespace {

uint64_t padded(uint16_t size) { return (uint64_t{size} + 3) / 4 * 4; }

bool read_fec(const RtpPacket& rtp, MediaPacket& packet) {
  const auto header = parse_fec_header(rtp.payload);
  const FecScheme scheme = fec_scheme(rtp.payload_type);
  if (!header || !is_plausible(scheme, *header)) return false;
  packet.shape.length = header->block_length;
  packet.shape.scheme = scheme;
  packet.shape.k = header->k;
  packet.shape.m = header->m;
  packet.shape.c = header->c;
  packet.shape.seed = header->seed;
  packet.buffer_id = header->buffer_id;
  packet.offset = header->offset;
  packet.substream = header->substream;
  if (rtp.extension_id == kExtensionId) packet.extension = parse_stream_extension(rtp.extension);
  return true;
}

void take_header(const VideoHeader& header, MediaPacket& packet) {
  packet.shape.length = header.length;
  packet.shape.picture = {header.fourcc, header.width, header.height, header.interlacing, header.fps};
  packet.buffer_id = header.buffer_id;
  packet.offset = header.offset;
  packet.substream = header.substream;
}

bool read_video(const RtpPacket& rtp, MediaPacket& packet) {
  const auto header = parse_video_header(rtp.payload);
  if (!header || !plausible_picture(header->length, header->width, header->height)) return false;
  take_header(*header, packet);
  if (rtp.extension_id != kExtensionId) return true;
  packet.extension = parse_stream_extension(rtp.extension);
  return !packet.extension || extension_agrees(*packet.extension, packet.shape.picture);
}

MediaPacket of_compact(const CompactHead& head) {
  MediaPacket packet;
  packet.rtp.ssrc = head.ssrc;
  packet.rtp.timestamp = head.timestamp;
  packet.buffer_id = head.buffer_id;
  packet.shape.compact = true;
  packet.shape.description = head.description_number;
  packet.compact = CompactPart{.answers_requests = head.answers_requests,
                               .takes_tile_requests = head.takes_tile_requests,
                               .parity_follows = head.parity_follows};
  return packet;
}

}  // namespace

bool extension_agrees(const StreamExtension& extension, const TilePicture& picture) {
  return extension.width != 0 && padded(extension.width) == picture.width && extension.height != 0 &&
         padded(extension.height) == picture.height;
}

StreamDesc described_stream(const CompactDescription& d) {
  return {.width = d.width,
          .height = d.height,
          .fps = d.rate.fps(),
          .has_extension = true,
          .texture_format = d.texture_format,
          .matrix = d.matrix,
          .range = d.range,
          .primaries = d.primaries,
          .transfer = d.transfer,
          .pixel_aspect = d.pixel_aspect,
          .coding = d.coding,
          .coder = d.coder};
}

bool plausible_picture(uint32_t bytes, uint16_t width, uint16_t height) {
  return width != 0 && height != 0 && bytes != 0 && bytes <= 16 * padded(width) * padded(height) + 65536;
}

bool is_too_large(const MediaPacket& packet, const PictureLimit& limit) {
  if (packet.compact) {
    const auto& description = packet.compact->description;
    return description && !limit.takes(static_cast<int64_t>(padded(description->width)),
                                       static_cast<int64_t>(padded(description->height)));
  }
  return !packet.shape.fec() && !limit.takes(packet.shape.picture.width, packet.shape.picture.height);
}

std::optional<MediaPacket> read_media_packet(const RtpPacket& rtp, size_t max_frame_bytes, const PictureLimit& limit) {
  std::optional<MediaPacket> packet(std::in_place);
  packet->rtp = rtp;
  const bool fec = is_fec(rtp.payload_type);
  if (!(fec ? read_fec(rtp, *packet) : read_video(rtp, *packet))) return std::nullopt;
  if (is_too_large(*packet, limit)) return packet;
  const uint32_t length = packet->shape.length;
  const Bytes piece = packet->piece = rtp.payload.subspan(fec ? kFecHeaderBytes : kVideoHeaderBytes);
  if (piece.empty() || length > max_frame_bytes || packet->offset >= length || piece.size() > length - packet->offset)
    packet.reset();
  return packet;
}

std::optional<MediaPacket> read_parity_packet(const ParityPacket& parity, size_t max_frame_bytes,
                                              const PictureLimit& limit) {
  const VideoHeader& header = parity.video;
  if (!plausible_picture(header.length, header.width, header.height)) return std::nullopt;
  MediaPacket packet;
  take_header(header, packet);
  if (is_too_large(packet, limit)) return packet;
  if (header.length > max_frame_bytes) return std::nullopt;
  const StreamExtension& e = parity.extension;
  if (!SymbolLayout::checked(header.length, e.symbol_bytes, e.groups, e.parity)) return std::nullopt;
  if (header.offset != 0 || header.substream != 0 || !extension_agrees(parity.extension, packet.shape.picture))
    return std::nullopt;
  packet.rtp.ssrc = parity.ssrc;
  packet.rtp.timestamp = parity.timestamp;
  packet.extension = parity.extension;
  packet.piece = parity.symbol;
  packet.parity = &parity;
  return packet;
}

std::optional<MediaPacket> read_compact_packet(const CompactPacket& compact, size_t max_frame_bytes) {
  if (compact.payload.size() > max_frame_bytes) return std::nullopt;
  MediaPacket packet = of_compact(compact.head);
  packet.rtp.sequence = compact.sequence;
  packet.rtp.marker = compact.number + 1 == compact.packets;
  packet.compact->number = compact.number;
  packet.compact->packets = compact.packets;
  packet.compact->description = compact.description;
  packet.offset = compact.number;
  packet.piece = compact.payload;
  return packet;
}

std::optional<MediaPacket> read_compact_parity(const CompactParityPacket& parity, size_t max_frame_bytes) {
  const auto layout = SymbolLayout::checked_payloads(parity.packets, parity.symbol_bytes, parity.groups, parity.parity);
  if (!layout || parity.symbol_bytes > max_frame_bytes) return std::nullopt;
  MediaPacket packet = of_compact(parity.head);
  packet.compact->packets = parity.packets;
  packet.compact->description = parity.description;
  packet.piece = parity.symbol;
  packet.compact_parity = &parity;
  return packet;
}

size_t most_payload_bytes(const CompactDescription& description, size_t max_frame_bytes) {
  const uint64_t pixels = padded(description.width) * padded(description.height);
  return static_cast<size_t>(std::min<uint64_t>(4 * pixels + 65536, max_frame_bytes));
}

}  // namespace texcast::transport
