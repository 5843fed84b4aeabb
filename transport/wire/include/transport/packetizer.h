// packetizer.h — what makes frames of bytes into datagrams: the interface, and what all that implement it share. Pure:
// no socket, no clock.
//
// Example, a frame that leaves its kernel in bands:
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

struct PacketizerSettings {
  StreamDesc stream{};
  int mtu = 1500;         // IP packet bytes, 576..9000
  bool ipv6 = false;      // 40 instead of 20 bytes of IP header
  bool extension = true;  // texcast's header extension (off: byte for byte what UltraGrid sends)
  uint32_t ssrc = 0;
  uint16_t first_sequence = 0;
  uint32_t first_buffer_id = 0;   // 22 bits
  uint32_t timestamp_offset = 0;  // added to 90 kHz time
  // Goes on where another packetizer's numbers ended, one at a time: receivers see one stream that changed. Instead of
  // the four above. Null: numbers of its own, which begin as those say.
  std::shared_ptr<RtpNumbering> numbers{};
  int block_bytes = 16;    // 1, 2, 4 … 32: payload lengths are a multiple of this, so that a lost packet costs
                           // only its own blocks
  int reserved_bytes = 0;  // left free in every datagram for what is put around it (encryption)
};

// One datagram: `header` is the packetizer's memory, `payload` a part of the frame or of the packetizer's memory. Both
// stay valid until the next begin(); nothing of the frame is copied.
struct OutgoingPacket {
  Bytes header;
  Bytes payload;
  size_t size() const { return header.size() + payload.size(); }
};

// Not thread-safe. All datagrams of a frame but the last have the same size (so that UDP_SEGMENT can cut them), unless
// the class says otherwise.
class FramePacketizer {
 public:
  virtual ~FramePacketizer() = default;
  // A frame begins: all of its memory, 1 byte … 2^31-1, which must stay until the next begin(). Bytes behind those that
  // advance() is told of may still be written. `times.available`, `times.encoded` and `times.sent` go into the
  // extension, `times.pts` makes the RTP time stamp. Allocates only for a frame larger than those before.
  virtual void begin(Bytes frame, const FrameTimes& times) = 0;
  // The frame's first `ready_bytes` are final: work on them may begin on other threads, where the packetizer has any.
  // advance() need not go as far yet. May be left out.
  virtual void prepare(size_t /*ready_bytes*/) {}
  // The packets that can leave, in order and each once, now that the frame's first `ready_bytes` are final. With its
  // whole size: all the rest, parity included. Never fewer bytes than in the call before. The packets are valid until
  // begin().
  virtual std::span<const OutgoingPacket> advance(size_t ready_bytes) = 0;
  // Buffer id of the frame begun, where receivers are told that they may ask for its packets again: packet i by its
  // place i among those that advance() gave.
  virtual std::optional<uint32_t> requestable_frame() const { return std::nullopt; }
  std::span<const OutgoingPacket> packetize(Bytes frame, const FrameTimes& times) {
    begin(frame, times);
    return advance(frame.size());
  }
};

// The numbers that a sender counts on from packet to packet and frame to frame.
class RtpNumbering {
 public:
  struct Settings {
    uint32_t ssrc = 0;
    uint16_t first_sequence = 0;
    uint32_t first_buffer_id = 0;   // 22 bits
    uint32_t timestamp_offset = 0;  // added to 90 kHz time
    double fps = 0;                 // 0 = unknown
  };
  explicit RtpNumbering(const Settings& settings);

  // Buffer id and time stamp of the frame that begins, the same in all of its packets. Where `pts` stands still or
  // jumps back (a clip that starts over), the time stamp still goes on by a frame time: UltraGrid's receiver throws
  // away what lies before a time stamp that it has seen, and takes equal ones for one frame.
  void begin_frame(nanoseconds pts);
  uint16_t next_sequence() { return sequence_++; }
  uint8_t next_description() { return description_++; }  // of compact streams: what frames are has changed
  void set_fps(double fps) { settings_.fps = fps; }
  uint32_t ssrc() const { return settings_.ssrc; }
  uint32_t buffer_id() const { return buffer_id_; }  // of the frame begun last
  uint32_t next_buffer_id() const;                   // of the next one
  uint32_t timestamp() const { return timestamp_.value_or(0); }

 private:
  Settings settings_;
  uint16_t sequence_;
  uint8_t description_ = 0;
  uint32_t buffer_id_ = 0;
  std::optional<uint32_t> timestamp_;
};

// What every packetizer starts from. Misuse (ENSURE) where a setting is out of its range.
void ensure_valid(const PacketizerSettings& settings);
std::shared_ptr<RtpNumbering> numbering_of(const PacketizerSettings& settings);
// Bytes of a datagram that are left behind `header_bytes` of RTP, extension and video or FEC header, before rounding to
// whole blocks.
int payload_room(const PacketizerSettings& settings, size_t header_bytes);
// The headers of a frame's packets, but for what differs between them (offset, sequence, marker).
VideoHeader video_header_of(const PacketizerSettings& settings, uint32_t buffer_id, size_t frame_bytes);
StreamExtension extension_of(const StreamDesc& stream, const FrameTimes& times);

}  // namespace texcast::transport
