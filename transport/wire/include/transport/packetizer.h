// packetizer.h — turns frames of bytes into datagrams: the interface, and what its implementations share. No I/O, no
// clock.
//
// Example, for a frame that its encoder finishes in bands:
//     packetizer->begin(frame, times);
//     for each band: send(packetizer->advance(bytes that are final by now));
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "transport/packet.h"
#include "transport/stream.h"

namespace texcast::transport {

class RtpNumbering;

// No network has larger IP packets than 9000 bytes, but datagrams to browsers are no IP packets (web_stream.h).
inline constexpr int kMostMtu = 65535;

struct PacketizerSettings {
  StreamDesc stream{};
  int mtu = 1500;         // size of IP packets in bytes, 576..kMostMtu
  bool ipv6 = false;      // 40 instead of 20 bytes of IP header
  bool extension = true;  // texcast's header extension (off: identical to UltraGrid's packets)
  uint32_t ssrc = 0;
  uint16_t first_sequence = 0;
  uint32_t first_buffer_id = 0;   // 22 bits
  uint32_t timestamp_offset = 0;  // added to the 90 kHz time
  // Continues the numbers of another packetizer (one packetizer at a time), so that receivers see one stream that
  // changed. Replaces the four fields above. Null: new numbers that begin with those.
  std::shared_ptr<RtpNumbering> numbers{};
  // 1, 2, 4 … 32: payload lengths are a multiple of this, so that a lost packet costs only its own blocks.
  int block_bytes = 16;
  int reserved_bytes = 0;  // left free in every datagram for an envelope (encryption)
};

// One datagram: `header` is the packetizer's memory, `payload` a part of the frame or of the packetizer's memory. Both
// stay valid until the next begin(); the frame is not copied.
struct OutgoingPacket {
  Bytes header;
  Bytes payload;
  size_t size() const { return header.size() + payload.size(); }
};

// Not thread-safe. Unless the class says otherwise, all datagrams of a frame but the last have the same size, as
// UDP_SEGMENT requires.
class FramePacketizer {
 public:
  virtual ~FramePacketizer() = default;
  // Begins a frame of 1 byte … 2^31-1. Its memory must stay valid until the next begin(). Bytes beyond those passed to
  // advance() may still be written. `times.available`, `times.encoded` and `times.sent` are put into the extension;
  // `times.pts` becomes the RTP time stamp. Allocates only if the frame is larger than every frame before.
  virtual void begin(Bytes frame, const FrameTimes& times) = 0;
  // Optional: the frame's first `ready_bytes` are final, so that the packetizer's other threads, if any, can begin to
  // work on them. They may be ahead of advance().
  virtual void prepare(size_t /*ready_bytes*/) {}
  // The packets that can be sent now that the frame's first `ready_bytes` are final: in order, each once. With the
  // whole size: all the rest, including parity. `ready_bytes` must not decrease. The packets are valid until begin().
  virtual std::span<const OutgoingPacket> advance(size_t ready_bytes) = 0;
  // Buffer id of the frame if its packets can be requested by NACK: packet i is the i-th of those that advance()
  // returned.
  virtual std::optional<uint32_t> requestable_frame() const { return std::nullopt; }
  std::span<const OutgoingPacket> packetize(Bytes frame, const FrameTimes& times) {
    begin(frame, times);
    return advance(frame.size());
  }
};

// The sequence numbers, frame numbers and time stamps of a sender.
class RtpNumbering {
 public:
  struct Settings {
    uint32_t ssrc = 0;
    uint16_t first_sequence = 0;
    uint32_t first_buffer_id = 0;   // 22 bits
    uint32_t timestamp_offset = 0;  // added to the 90 kHz time
    double fps = 0;                 // 0 = unknown
  };
  explicit RtpNumbering(const Settings& settings);

  // Assigns the buffer id and time stamp that all packets of the next frame share. If `pts` does not increase (a clip
  // that starts over), the time stamp still increases by a frame time: UltraGrid's receiver discards time stamps below
  // the latest, and takes equal ones for the same frame.
  void begin_frame(nanoseconds pts);
  uint16_t next_sequence() { return sequence_++; }
  uint8_t next_description() { return description_++; }  // coded streams: the description has changed
  void set_fps(double fps) { settings_.fps = fps; }
  uint32_t ssrc() const { return settings_.ssrc; }
  uint32_t buffer_id() const { return buffer_id_; }  // of the current frame
  uint32_t next_buffer_id() const;                   // of the next one
  uint32_t timestamp() const { return timestamp_.value_or(0); }

 private:
  Settings settings_;
  uint16_t sequence_;
  uint8_t description_ = 0;
  uint32_t buffer_id_ = 0;
  std::optional<uint32_t> timestamp_;
};

// Used by every packetizer. Misuse (ENSURE) if a setting is out of its range.
void ensure_valid(const PacketizerSettings& settings);
std::shared_ptr<RtpNumbering> numbering_of(const PacketizerSettings& settings);
// The bytes of a datagram that remain after `header_bytes` of RTP, extension and video or FEC header, before rounding
// to whole blocks.
int payload_room(const PacketizerSettings& settings, size_t header_bytes);
// The headers of a frame's packets, without the fields that differ between them (offset, sequence, marker).
VideoHeader video_header_of(const PacketizerSettings& settings, uint32_t buffer_id, size_t frame_bytes);
StreamExtension extension_of(const StreamDesc& stream, const FrameTimes& times);

}  // namespace texcast::transport
