// address.h — parses and resolves "rtp://HOST:PORT".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/peer_address.h"

namespace texcast::transport {

inline constexpr uint16_t kDefaultPort = 5004;

std::string to_text(const PeerAddress& address);                   // "192.0.2.1:5004", "[fe80::1%2]:5004"
std::string host_text(const PeerAddress& address);                 // "192.0.2.1", "fe80::1%2"
PeerAddress with_port(const PeerAddress& address, uint16_t port);  // the same host; unknown stays unknown

// A socket address, independent of the socket headers: the bytes of a sockaddr_storage.
struct Address {
  alignas(8) std::array<std::byte, 128> storage{};
  uint32_t length = 0;
  bool ipv6 = false;
  bool multicast = false;
  bool loopback = false;
  uint16_t port = kDefaultPort;
  PeerAddress source{};  // of a source-specific group: its only source; unknown: any
  std::string text;      // as given
};

// The host and port of a resolved address.
PeerAddress peer_of(const Address& address);

// "HOST:PORT" as given, with the default port if there was none: "192.0.2.1:5004", "[fe80::1]:5004", "studio:5004".
std::string host_and_port(const Address& address);

// "rtp://HOST[:PORT]", "rtp://[V6]:PORT", "rtp://[V6%INTERFACE]:PORT". For listening, HOST may be empty (all
// interfaces) or "SOURCE@GROUP" (a source-specific multicast group). Throws Error{usage} for a malformed URL and
// Error{network} if the host does not resolve.
Address resolve_address(const std::string& url, bool listening);

// The URL of an address that was written without rtp://: "192.0.2.1", "192.0.2.1:5004", "studio:5004",
// "[fe80::1%eth0]",
// "[::1]:5004", ":5004". None for other words; a host's name alone may as well be an announced name, or a file. An IPv6
// address without brackets gives a URL for which resolve_address() says what is missing.
std::optional<std::string> url_of_short_form(std::string_view word);

// The same host, interface and group at another port; the text is unchanged.
Address at_port(Address address, uint16_t port);

// Resolves "HOST" or "HOST/BITS", IPv4 or IPv6 (brackets are optional). A name is looked up immediately, and stands for
// all of its addresses. Throws Error{usage} or Error{network}.
std::vector<PeerNetwork> resolve_networks(const std::string& text);

}  // namespace texcast::transport
