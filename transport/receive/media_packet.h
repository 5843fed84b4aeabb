// media_packet.h — parses and checks the headers behind RTP: the part of a frame that a decrypted datagram carries. No
// I/O.
#pragma once

#include <cstdint>
#include <optional>

#include "transport/compact_packet.h"
#include "transport/own_packet.h"
#include "transport/packet.h"
#include "transport/peer_address.h"
#include "transport/receive_session.h"

namespace texcast::transport {

inline constexpr int kMaxTiles = 4;  // UltraGrid's largest arrangement, 2x2

// A tile's picture according to the video header.
struct TilePicture {
  FourCC fourcc{};
  uint16_t width = 0, height = 0;  // pixels of the tile
  uint8_t interlacing = 0;
  double fps = 0;
  bool operator==(const TilePicture&) const = default;
};

// The properties that all packets of a tile share. `picture` is known from packets with a video header; with an FEC
// header it is inside the block.
struct PacketShape {
  uint32_t length = 0;  // bytes of the tile, or of its FEC block
  FecScheme scheme = FecScheme::none;
  uint16_t k = 0, m = 0;
  uint8_t c = 0;
  uint32_t seed = 0;
  // A payload of a coded frame, and the number of its description. Such a packet has neither length nor picture here,
  // because not every packet carries the description.
  bool compact = false;
  uint8_t description = 0;
  TilePicture picture{};
  bool operator==(const PacketShape&) const = default;

  bool fec() const { return scheme != FecScheme::none; }
  FecHeader fec_header() const { return {.block_length = length, .k = k, .m = m, .c = c, .seed = seed}; }
};

// The header of a coded frame's packet.
struct CompactPart {
  bool answers_requests = false, takes_tile_requests = false, parity_follows = false;
  uint16_t number = 0;   // of the packet within its frame
  uint16_t packets = 0;  // in the frame; 0: not known yet
  std::optional<CompactDescription> description{};
};

// A checked packet: its headers are consistent, and its piece lies inside shape.length.
struct MediaPacket {
  RtpPacket rtp;
  PeerAddress from{};
  PacketShape shape;
  std::optional<StreamExtension> extension{};
  uint32_t buffer_id = 0;                // 22 bits
  uint32_t offset = 0;                   // of a payload: its number
  uint16_t substream = 0;                // tile number
  Bytes piece{};                         // bytes of the tile, or a parity symbol
  const ParityPacket* parity = nullptr;  // texcast's own parity; then `offset` is meaningless
  std::optional<CompactPart> compact{};
  const CompactParityPacket* compact_parity = nullptr;  // the same
  std::optional<uint64_t> counter{};                    // of its envelope
  bool is_from_relay = false;                           // an envelope NACK had requested it

  bool is_parity() const { return parity || compact_parity; }
  // The frame rate that it announces.
  std::optional<double> fps() const {
    if (shape.fec()) return std::nullopt;
    if (!compact) return shape.picture.fps;
    return compact->description ? std::optional(compact->description->rate.fps()) : std::nullopt;
  }
};

// Parses an unencrypted packet. Nothing if the headers are too short, contradict themselves or claim more than
// max_frame_bytes. All bounds are checked here, before anything is allocated, so later code need not check again. A
// packet of a picture larger than `limit` is returned, and is_too_large() reports it; only that may be used of it.
std::optional<MediaPacket> read_media_packet(const RtpPacket& rtp, size_t max_frame_bytes, const PictureLimit& limit);
// The size of a picture in an FEC block is known only once the block is decoded.
bool is_too_large(const MediaPacket& packet, const PictureLimit& limit);

// The stream's description, without the times of its frame.
StreamDesc described_stream(const CompactDescription& description);

// True if texcast's extension belongs to this picture: the video header has its size, rounded up.
bool extension_agrees(const StreamExtension& extension, const TilePicture& picture);
// The same for texcast's own parity. The packet refers to `parity`, which the caller keeps.
std::optional<MediaPacket> read_parity_packet(const ParityPacket& parity, size_t max_frame_bytes,
                                              const PictureLimit& limit);

// The same for coded streams. A payload may be as large as a whole frame; the jitter buffer checks the frame's total
// (most_payload_bytes()). The packet refers to `parity`, which the caller keeps.
std::optional<MediaPacket> read_compact_packet(const CompactPacket& compact, size_t max_frame_bytes);
std::optional<MediaPacket> read_compact_parity(const CompactParityPacket& parity, size_t max_frame_bytes);
// The largest total of a frame's payloads: 4 bytes a pixel, more than any texture or coded texture has, plus the
// headers of the payloads.
size_t most_payload_bytes(const CompactDescription& description, size_t max_frame_bytes);

// True if a picture of this size can have that many bytes: the largest pixel format has 12 to 16 a pixel; the rest
// covers headers.
bool plausible_picture(uint32_t bytes, uint16_t width, uint16_t height);

}  // namespace texcast::transport
