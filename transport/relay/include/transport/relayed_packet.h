// relayed_packet.h — what a relay reads of a datagram that it passes on: whose it is, and how a NACK names it.
// Functions over bytes only; any bytes may be passed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "transport/packet.h"

namespace texcast::transport {

// The SSRC of a datagram on the port of the picture: video, parity, the pointer, row checksums. Nothing for datagrams
// that no receiver of a picture reads: feedback, sound, RTCP, sealed and damaged ones.
std::optional<uint32_t> picture_ssrc(Bytes datagram);

// The frame and the number by which a NACK requests a packet.
struct PacketPlace {
  uint32_t buffer_id = 0;  // 22 bits
  uint32_t number = 0;
  bool operator==(const PacketPlace&) const = default;
};
// Nothing for packets that cannot be requested.
std::optional<PacketPlace> packet_place(Bytes datagram);

// The datagram of an RTP packet whose payload was decrypted: the original headers of `datagram`, with the packet's
// payload type and payload. `out` is reused.
Bytes with_payload(Bytes datagram, const RtpPacket& decrypted, std::vector<std::byte>& out);

}  // namespace texcast::transport
