// capture_walk.h — finds the UDP payload of a captured link-layer packet, and reassembles IPv4 and IPv6 fragments.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "transport/peer_address.h"

namespace texcast::transport {

struct UdpPayload {
  Bytes payload;
  uint16_t port = 0;  // destination
  PeerAddress from{};
};

class CaptureWalk {
 public:
  // nullopt for a packet other than UDP, or a fragment of an incomplete datagram. The payload points into `packet` or
  // into this object, and is valid until the next call.
  std::optional<UdpPayload> udp_of(Bytes packet, uint32_t link_type);

 private:
  // A datagram whose fragments are being collected. As captures are almost in order, eight at a time are plenty. A new
  // one replaces the oldest.
  struct Fragmented {
    std::array<std::byte, 32> source_and_destination{};
    uint32_t id = 0;
    bool ipv6 = false;
    uint64_t age = 0;
    std::vector<std::byte> bytes;
    std::vector<bool> units;  // which units of 8 bytes have arrived
    std::optional<size_t> total;
  };
  std::optional<UdpPayload> ipv4(Bytes packet);
  std::optional<UdpPayload> ipv6(Bytes packet);
  std::optional<UdpPayload> fragment(Bytes addresses, uint32_t id, bool is_ipv6, size_t offset, bool more, Bytes piece);

  std::array<Fragmented, 8> fragmented_;
  uint64_t clock_ = 0;
  std::vector<std::byte> whole_;
};

// A train of datagrams was captured before the kernel segmented it (UDP_SEGMENT on loopback or before the device).
// Returns the size of all its datagrams but the last, or train.size() if it is a single one. A capture does not contain
// the segment size. It is found by headers: each segment begins with an RTP header that continues the previous one
// (same version, payload type, SSRC and time stamp, next sequence number), or is the next coded packet of its frame.
size_t train_segment_bytes(Bytes train);

}  // namespace texcast::transport
