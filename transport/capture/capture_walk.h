// capture_walk.h — from a captured link-layer packet to the UDP payload in it; IPv4 and IPv6 fragments are put
// together.
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
  // Nothing for what is no UDP, or a fragment whose datagram is not whole yet. The payload points into `packet` or into
  // this object, until the next call.
  std::optional<UdpPayload> udp_of(Bytes packet, uint32_t link_type);

 private:
  // A datagram whose fragments are being collected. Captures are in order or nearly so: eight at a time are plenty, the
  // oldest gives way.
  struct Fragmented {
    std::array<std::byte, 32> source_and_destination{};
    uint32_t id = 0;
    bool ipv6 = false;
    uint64_t age = 0;
    std::vector<std::byte> bytes;
    std::vector<bool> units;  // of 8 bytes, present
    std::optional<size_t> total;
  };
  std::optional<UdpPayload> ipv4(Bytes packet);
  std::optional<UdpPayload> ipv6(Bytes packet);
  std::optional<UdpPayload> fragment(Bytes addresses, uint32_t id, bool is_ipv6, size_t offset, bool more, Bytes piece);

  std::array<Fragmented, 8> fragmented_;
  uint64_t clock_ = 0;
  std::vector<std::byte> whole_;
};

// A train of datagrams was captured before the kernel cut it (UDP_SEGMENT on loopback or before the device). The size
// of all its datagrams but the last, or train.size() where it is a single one. The size itself is not in a capture;
// what tells is that every piece begins with an RTP header that continues the one before: same version, payload type,
// SSRC and time stamp, next sequence number; or is the next compact packet of its frame.
size_t train_segment_bytes(Bytes train);

}  // namespace texcast::transport
