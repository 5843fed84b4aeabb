// media_packet.h — a datagram's part of a frame: the headers behind RTP read and checked, in plain text. Pure.
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

// What the video header says of a tile's picture.
struct TilePicture {
  FourCC fourcc{};
  uint16_t width = 0, height = 0;  // pixels of the tile
  uint8_t interlacing = 0;
  double fps = 0;
  bool operator==(const TilePicture&) const = default;
};

// What every packet of a tile repeats. `picture` of those that carry a video header; behind an FEC header it is in the
// block.
struct PacketShape {
  uint32_t length = 0;  // of the tile's bytes, or of its FEC block
  FecScheme scheme = FecScheme::none;
  uint16_t k = 0, m = 0;
  uint8_t c = 0;
  uint32_t seed = 0;
  // A payload of a compact frame, and the number of the description that goes with it. Such a packet has no length and
  // no picture here: not all of them say what that is.
  bool compact = false;
  uint8_t description = 0;
  TilePicture picture{};
  bool operator==(const PacketShape&) const = default;

  bool fec() const { return scheme != FecScheme::none; }
  FecHeader fec_header() const { return {.block_length = length, .k = k, .m = m, .c = c, .seed = seed}; }
};

// What a packet of a compact frame says beside its payload.
struct CompactPart {
  bool answers_requests = false, takes_tile_requests = false, parity_follows = false;
  uint16_t number = 0;   // of the packet in its frame
  uint16_t packets = 0;  // in the frame; 0: not known yet
  std::optional<CompactDescription> description{};
};

// A checked packet: nothing in it contradicts itself, and its piece lies inside shape.length.
struct MediaPacket {
  RtpPacket rtp;
  PeerAddress from{};
  PacketShape shape;
  std::optional<StreamExtension> extension{};
  uint32_t buffer_id = 0;                // 22 bits
  uint32_t offset = 0;                   // of a payload its number
  uint16_t substream = 0;                // tile
  Bytes piece{};                         // of the tile's bytes, or a symbol of parity
  const ParityPacket* parity = nullptr;  // texcast's own; then `offset` means nothing
  std::optional<CompactPart> compact{};
  const CompactParityPacket* compact_parity = nullptr;  // the same

  bool is_parity() const { return parity || compact_parity; }
  // What it says of the stream's rate.
  std::optional<double> fps() const {
    if (shape.fec()) return std::nullopt;
    if (!compact) return shape.picture.fps;
    return compact->description ? std::optional(compact->description->rate.fps()) : std::nullopt;
  }
};

// Of a packet in the clear. Nothing where the headers are short, contradict themselves or claim more than
// max_frame_bytes: bounds first, so that nothing later needs to ask again, and before anything is allocated.
// A packet of a picture larger than `limit` is told by is_too_large(); nothing of it but that is to be used.
std::optional<MediaPacket> read_media_packet(const RtpPacket& rtp, size_t max_frame_bytes, const PictureLimit& limit);
// Of an FEC block that is found out when it is read.
bool is_too_large(const MediaPacket& packet, const PictureLimit& limit);

// The stream that a description describes, without the times of its frame.
StreamDesc described_stream(const CompactDescription& description);

// Whether texcast's extension speaks of this picture: its true size is what the video header has rounded up.
bool extension_agrees(const StreamExtension& extension, const TilePicture& picture);
// The same of texcast's own parity, which goes on belonging to the caller.
std::optional<MediaPacket> read_parity_packet(const ParityPacket& parity, size_t max_frame_bytes,
                                              const PictureLimit& limit);

// Of compact streams. A payload may be as large as a whole frame; what a frame may have of them is for its table to
// check (most_payload_bytes()). Parity goes on belonging to the caller.
std::optional<MediaPacket> read_compact_packet(const CompactPacket& compact, size_t max_frame_bytes);
std::optional<MediaPacket> read_compact_parity(const CompactParityPacket& parity, size_t max_frame_bytes);
// Bytes that the payloads of a frame may have together: 4 a pixel, which no texture has and so none that is coded, but
// for what precedes each payload.
size_t most_payload_bytes(const CompactDescription& description, size_t max_frame_bytes);

// Whether a picture of this size can need so many bytes: the fattest pixel format has 12 to 16 a pixel; the rest is for
// whatever precedes the pixels.
bool plausible_picture(uint32_t bytes, uint16_t width, uint16_t height);

}  // namespace texcast::transport
