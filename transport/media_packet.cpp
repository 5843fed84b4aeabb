#include "media_packet.h"

#include <algorithm>

namespace texcast::transport {
namespace {

uint64_t padded(uint16_t size) { return (uint64_t{size} + 3) / 4 * 4; }

// The fattest pixel format has 12 to 16 bytes a pixel; the rest is for whatever precedes the pixels.
bool plausible(uint32_t length, uint16_t width, uint16_t height) {
  return width != 0 && height != 0 && length <= 16 * padded(width) * padded(height) + 65536;
}

}  // namespace

std::optional<MediaPacket> read_media_packet(const RtpPacket& rtp, size_t max_frame_bytes) {
  const auto video = parse_video_header(rtp.payload);
  if (!video) return std::nullopt;
  const Bytes piece = rtp.payload.subspan(kVideoHeaderBytes);
  if (piece.empty() || video->length > max_frame_bytes) return std::nullopt;
  if (video->offset >= video->length || piece.size() > video->length - video->offset) return std::nullopt;
  if (!plausible(video->length, video->width, video->height)) return std::nullopt;

  MediaPacket packet{.rtp = rtp,
                     .shape = {.length = video->length,
                               .fourcc = video->fourcc,
                               .width = video->width,
                               .height = video->height,
                               .interlacing = video->interlacing,
                               .fps = video->fps},
                     .extension = std::nullopt,
                     .buffer_id = video->buffer_id,
                     .offset = video->offset,
                     .substream = video->substream,
                     .piece = piece};
  if (rtp.extension_id == kExtensionId) {
    packet.extension = parse_stream_extension(rtp.extension);
    if (packet.extension && (packet.extension->width == 0 || padded(packet.extension->width) != video->width ||
                             packet.extension->height == 0 || padded(packet.extension->height) != video->height))
      return std::nullopt;
  }
  return packet;
}

}  // namespace texcast::transport
