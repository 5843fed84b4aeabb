// packetizer.h — one frame of bytes into RTP datagrams with UltraGrid's video header. Pure: no socket, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "transport/stream.h"

namespace texcast::transport {

struct PacketizerSettings {
  StreamDesc stream{};
  int mtu = 1500;         // IP packet bytes, 576..9000
  bool ipv6 = false;      // 40 instead of 20 bytes of IP header
  bool extension = true;  // texcast's header extension (off: byte for byte what UltraGrid sends)
  uint32_t ssrc = 0;
  uint16_t first_sequence = 0;
  uint32_t first_buffer_id = 0;   // 22 bits
  uint32_t timestamp_offset = 0;  // added to 90 kHz time
  int block_bytes = 16;           // 1, 2, 4 … 32: payload lengths are a multiple of this, so that a lost packet costs
                                  // only its own blocks
};

// One datagram: `header` is the packetizer's memory, `payload` a part of the frame. Both stay valid until the next
// packetize(); nothing is copied.
struct OutgoingPacket {
  Bytes header;
  Bytes payload;
  size_t size() const { return header.size() + payload.size(); }
};

// Not thread-safe. All packets but the last have the same size (so that UDP_SEGMENT can cut them).
class Packetizer {
 public:
  explicit Packetizer(const PacketizerSettings& settings);
  // `frame` 1 byte … 2^31-1. `times.available`, `times.encoded` and `times.sent` go into the extension;
  // `times.pts` makes the RTP time stamp; where it stands still or jumps back, the time stamp still goes on by a frame
  // time. Allocates only for a frame larger than those before.
  std::span<const OutgoingPacket> packetize(Bytes frame, const FrameTimes& times);
  int max_payload() const;  // bytes of a frame in a packet without the extension

 private:
  uint32_t next_timestamp(nanoseconds pts);

  PacketizerSettings settings_;
  uint16_t sequence_;
  uint32_t buffer_id_;
  std::optional<uint32_t> last_timestamp_;
  std::vector<std::byte> headers_;
  std::vector<OutgoingPacket> packets_;
};

}  // namespace texcast::transport
