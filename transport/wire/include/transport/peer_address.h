// peer_address.h — a datagram's source address, independent of the socket headers: to reply, to tell senders apart, and
// to accept only some of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace texcast::transport {

// A host and a port. Addresses compare equal whatever kind of socket they came from.
struct PeerAddress {
  std::array<std::byte, 16> host{};  // IPv6 bytes; IPv4 as ::ffff:a.b.c.d
  uint32_t scope = 0;                // interface index of a link-local host; 0: none
  uint16_t port = 0;                 // 0 with an empty host: unknown
  bool known() const { return *this != PeerAddress{}; }
  bool operator==(const PeerAddress&) const = default;

  static PeerAddress of_ipv4(Bytes host, uint16_t port) {  // 4 bytes
    PeerAddress address{.port = port};
    address.host[10] = address.host[11] = std::byte{0xFF};
    for (size_t i = 0; i < 4; ++i) address.host[12 + i] = host[i];
    return address;
  }
  static PeerAddress of_ipv6(Bytes host, uint16_t port, uint32_t scope = 0) {  // 16 bytes
    PeerAddress address{.scope = scope, .port = port};
    for (size_t i = 0; i < 16; ++i) address.host[i] = host[i];
    return address;
  }
  bool same_host(const PeerAddress& other) const { return host == other.host && scope == other.scope; }
  bool is_ipv4() const {
    for (size_t i = 0; i < 10; ++i)
      if (host[i] != std::byte{0}) return false;
    return host[10] == std::byte{0xFF} && host[11] == std::byte{0xFF};
  }
};

// The hosts that share the first bits with `host`; 128 bits: only that host. Ports and scopes are ignored.
struct PeerNetwork {
  std::array<std::byte, 16> host{};  // as in PeerAddress
  int bits = 128;                    // of the 16 bytes; for IPv4, its own prefix plus 96

  bool contains(const PeerAddress& peer) const {
    for (int i = 0; i < bits; i += 8) {
      const int rest = bits - i;
      const auto mask = static_cast<std::byte>(rest >= 8 ? 0xFF : 0xFF << (8 - rest));
      const auto at = static_cast<size_t>(i / 8);
      if ((host[at] & mask) != (peer.host[at] & mask)) return false;
    }
    return true;
  }
};

// True if the peer is in one of the networks, or there are none.
inline bool allowed(std::span<const PeerNetwork> networks, const PeerAddress& peer) {
  if (networks.empty()) return true;
  for (const PeerNetwork& network : networks)
    if (network.contains(peer)) return true;
  return false;
}

}  // namespace texcast::transport
