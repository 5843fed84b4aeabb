#include "media_packet.h"

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

}  // namespace

bool extension_agrees(const StreamExtension& extension, const TilePicture& picture) {
  return extension.width != 0 && padded(extension.width) == picture.width && extension.height != 0 &&
         padded(extension.height) == picture.height;
}

bool plausible_picture(uint32_t bytes, uint16_t width, uint16_t height) {
  return width != 0 && height != 0 && bytes != 0 && bytes <= 16 * padded(width) * padded(height) + 65536;
}

bool is_too_large(const MediaPacket& packet, const PictureLimit& limit) {
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

}  // namespace texcast::transport
