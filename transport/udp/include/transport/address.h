// address.h — "rtp://HOST:PORT" taken apart and resolved.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transport/peer_address.h"

namespace texcast::transport {

inline constexpr uint16_t kDefaultPort = 5004;

std::string to_text(const PeerAddress& address);                   // "192.0.2.1:5004", "[fe80::1%2]:5004"
PeerAddress with_port(const PeerAddress& address, uint16_t port);  // the same host; unknown stays unknown

// A socket address without the socket headers: bytes of a sockaddr_storage.
struct Address {
  alignas(8) std::array<std::byte, 128> storage{};
  uint32_t length = 0;
  bool ipv6 = false;
  bool multicast = false;
  bool loopback = false;
  uint16_t port = kDefaultPort;
  PeerAddress source{};  // of a group: the one sender that is listened to; unknown: any
  std::string text;      // as given
};

// The host and port of an address that is resolved.
PeerAddress peer_of(const Address& address);

// "HOST:PORT" as it was given, also where the port was left out: "192.0.2.1:5004", "[fe80::1]:5004", "studio:5004".
std::string host_and_port(const Address& address);

// "rtp://HOST[:PORT]", "rtp://[V6]:PORT", "rtp://[V6%INTERFACE]:PORT"; HOST may be empty when listening (all
// interfaces), and "SOURCE@GROUP" there (a source-specific multicast group). Throws Error{usage} for
// a malformed URL and Error{network} when the host does not resolve.
Address resolve_address(const std::string& url, bool listening);

// The same host, interface and group at another port; its text is the old one's.
Address at_port(Address address, uint16_t port);

// "HOST" or "HOST/BITS", IPv4 or IPv6 (brackets may be left out): the hosts that it means. A name is looked up now, and
// means all of its addresses. Throws Error{usage} or Error{network}.
std::vector<PeerNetwork> resolve_networks(const std::string& text);

}  // namespace texcast::transport
