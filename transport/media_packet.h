// media_packet.h — a datagram's part of a frame: the headers behind RTP read and checked, in plain text. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "transport/packet.h"

namespace texcast::transport {

inline constexpr int kMaxTiles = 4;  // UltraGrid's largest arrangement, 2x2

// What every packet of a tile repeats.
struct PacketShape {
  uint32_t length = 0;  // of the tile's bytes
  FourCC fourcc{};
  uint16_t width = 0, height = 0;  // pixels of the tile
  uint8_t interlacing = 0;
  double fps = 0;
  bool operator==(const PacketShape&) const = default;
};

// A checked packet: nothing in it contradicts itself, and its piece lies inside shape.length.
struct MediaPacket {
  RtpPacket rtp;
  PacketShape shape;
  std::optional<StreamExtension> extension{};
  uint32_t buffer_id = 0;  // 22 bits
  uint32_t offset = 0;
  uint16_t substream = 0;  // tile
  Bytes piece{};
};

// Nothing where the headers are short, contradict themselves or claim more than max_frame_bytes: bounds first, so that
// nothing later needs to ask again, and before anything is allocated.
std::optional<MediaPacket> read_media_packet(const RtpPacket& rtp, size_t max_frame_bytes);

}  // namespace texcast::transport
