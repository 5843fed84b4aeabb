#include "transport/address.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "socket_address.h"
#include "texcast/error.h"

namespace texcast::transport {
namespace {

static_assert(sizeof(sockaddr_storage) <= sizeof(Address::storage));

constexpr std::string_view kScheme = "rtp://";

[[noreturn]] void malformed(const std::string& url, const std::string& why) {
  throw Error(ErrorKind::usage,
              "'" + url + "' is not an address: " + why + "; write rtp://HOST:PORT or rtp://[IPV6]:PORT");
}

struct HostPort {
  std::string source;  // before @
  std::string host;
  uint16_t port = kDefaultPort;
};

uint16_t parse_port(const std::string& url, std::string_view text, bool listening) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  if (!is_number || port > 65535 || (port == 0 && !listening))
    malformed(url, "'" + std::string(text) + "' is not a port (1 to 65535)");
  return static_cast<uint16_t>(port);
}

std::string_view without_brackets(std::string_view host) {
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

HostPort split(const std::string& url, bool listening) {
  std::string_view rest = url;
  if (!rest.starts_with(kScheme)) malformed(url, "it does not begin with rtp://");
  rest.remove_prefix(kScheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  HostPort result;
  if (const size_t at = rest.find('@'); at != rest.npos && listening) {
    result.source = without_brackets(rest.substr(0, at));
    if (result.source.empty()) malformed(url, "the source before @ is missing");
    rest.remove_prefix(at + 1);
    if (rest.empty() || rest[0] == ':') malformed(url, "the group after @ is missing");
  }
  if (rest.find_first_of("/?#@ ") != rest.npos) malformed(url, "only a host and a port are allowed");

  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == rest.npos) malformed(url, "the ] is missing");
    result.host = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
    if (!rest.empty() && rest[0] != ':') malformed(url, "after ] comes :PORT or nothing");
  } else {
    const size_t colon = rest.find(':');
    if (colon != rest.npos && rest.find(':', colon + 1) != rest.npos)
      malformed(url, "an IPv6 address needs square brackets");
    result.host = rest.substr(0, colon);
    rest.remove_prefix(colon == rest.npos ? rest.size() : colon);
  }
  if (!rest.empty()) result.port = parse_port(url, rest.substr(1), listening);
  if (result.host.empty() && !listening) malformed(url, "the host to send to is missing");
  return result;
}

void classify(Address& address) {
  sockaddr_storage any;
  std::memcpy(&any, address.storage.data(), sizeof any);
  if (any.ss_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, &any, sizeof v6);
    address.ipv6 = true;
    address.multicast = IN6_IS_ADDR_MULTICAST(&v6.sin6_addr) != 0;
    address.loopback = IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) != 0;
  } else {
    sockaddr_in v4;
    std::memcpy(&v4, &any, sizeof v4);
    const uint32_t host = ntohl(v4.sin_addr.s_addr);
    address.multicast = host >> 28 == 0xE;
    address.loopback = host >> 24 == 127;
  }
}

// All interfaces, IPv6 and (mapped) IPv4; UdpReceiver falls back to IPv4 if the kernel has no IPv6.
Address any_address(const std::string& url, uint16_t port) {
  Address address{.ipv6 = true, .port = port, .text = url};
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  any.sin6_port = htons(port);
  any.sin6_addr = in6addr_any;
  std::memcpy(address.storage.data(), &any, sizeof any);
  address.length = sizeof any;
  return address;
}

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

AddressList look_up(const std::string& url, const std::string& host, uint16_t port, int flags, int family) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failed != 0)
    throw Error(ErrorKind::network, "cannot resolve host '" + host + "' of " + url + ": " + gai_strerror(failed) +
                                        "; check its spelling, or give its IP address");
  return {found, &freeaddrinfo};
}

PeerAddress peer_of(const addrinfo& found) {
  sockaddr_storage any{};
  std::memcpy(&any, found.ai_addr, std::min<size_t>(found.ai_addrlen, sizeof any));
  return peer_address(any);
}

}  // namespace

PeerAddress peer_address(const sockaddr_storage& from) {
  if (from.ss_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &from, sizeof v4);
    return PeerAddress::of_ipv4(std::as_bytes(std::span(&v4.sin_addr, 1)), ntohs(v4.sin_port));
  }
  if (from.ss_family != AF_INET6) return {};
  sockaddr_in6 v6;
  std::memcpy(&v6, &from, sizeof v6);
  return PeerAddress::of_ipv6(std::as_bytes(std::span(&v6.sin6_addr, 1)), ntohs(v6.sin6_port), v6.sin6_scope_id);
}

PeerAddress peer_of(const Address& address) {
  sockaddr_storage any{};
  std::memcpy(&any, address.storage.data(), std::min<size_t>(address.length, sizeof any));
  return peer_address(any);
}

socklen_t socket_address(const PeerAddress& peer, int family, sockaddr_storage& to) {
  to = {};
  if (family == AF_INET6) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(peer.port);
    v6.sin6_scope_id = peer.scope;
    std::memcpy(&v6.sin6_addr, peer.host.data(), sizeof v6.sin6_addr);
    std::memcpy(&to, &v6, sizeof v6);
    return sizeof v6;
  }
  if (!peer.is_ipv4()) return 0;
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(peer.port);
  std::memcpy(&v4.sin_addr, peer.host.data() + 12, sizeof v4.sin_addr);
  std::memcpy(&to, &v4, sizeof v4);
  return sizeof v4;
}

std::vector<PeerNetwork> resolve_networks(const std::string& text) {
  const size_t slash = text.find('/');
  std::string host = text.substr(0, slash);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const auto wrong = [&](const std::string& why) {
    return Error(ErrorKind::usage, "'" + text + "' is not a host to listen to: " + why +
                                       "; give a name or an address, or HOST/BITS, for example 192.168.1.0/24");
  };
  if (host.empty()) throw wrong("the host is missing");
  std::optional<int> bits;
  if (slash != text.npos) {
    int value = -1;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + slash + 1, end, value);
    if (error != std::errc{} || stop != end || value < 0 || value > 128)
      throw wrong("the number of bits after / is wrong");
    bits = value;
  }
  std::vector<PeerNetwork> networks;
  const AddressList found = look_up("--from", host, 0, 0, AF_UNSPEC);
  for (const addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
    const PeerAddress peer = peer_of(*each);
    if (bits && peer.is_ipv4() && *bits > 32) throw wrong("IPv4 has 32 bits");
    networks.push_back({peer.host, !bits ? 128 : peer.is_ipv4() ? 96 + *bits : *bits});
  }
  return networks;
}

Address resolve_address(const std::string& url, bool listening) {
  const HostPort wanted = split(url, listening);
  if (wanted.host.empty()) return any_address(url, wanted.port);
  Address address{.port = wanted.port, .text = url};
  const AddressList found = look_up(url, wanted.host, wanted.port, listening ? AI_PASSIVE : 0, AF_UNSPEC);
  std::memcpy(address.storage.data(), found->ai_addr, found->ai_addrlen);
  address.length = found->ai_addrlen;
  classify(address);
  if (!wanted.source.empty()) {
    if (!address.multicast) malformed(url, "the address after @ is not a multicast group");
    const AddressList source = look_up(url, wanted.source, 0, 0, found->ai_family);
    address.source = peer_of(*source);
  }
  return address;
}

std::optional<std::string> url_of_short_form(std::string_view word) {
  const auto is_numeric = [](std::string_view host, int family) {
    in6_addr ignored{};
    return ::inet_pton(family, std::string(host).c_str(), &ignored) == 1;
  };
  const auto is_port = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  const auto url = [&] { return std::string(kScheme) + std::string(word); };
  if (word.find_first_of("/@ ") != word.npos) return std::nullopt;
  if (word.starts_with('[')) {
    const std::string_view host = word.substr(1, word.find(']') - 1);
    return is_numeric(host.substr(0, host.find('%')), AF_INET6) ? std::optional(url()) : std::nullopt;
  }
  if (is_numeric(word, AF_INET) || is_numeric(word.substr(0, word.find('%')), AF_INET6)) return url();
  const size_t colon = word.find(':');
  return colon != word.npos && is_port(word.substr(colon + 1)) ? std::optional(url()) : std::nullopt;
}

std::string host_text(const PeerAddress& address) {
  if (!address.known()) return "unknown";
  std::array<char, INET6_ADDRSTRLEN> host{};
  if (address.is_ipv4()) return ::inet_ntop(AF_INET, address.host.data() + 12, host.data(), host.size());
  ::inet_ntop(AF_INET6, address.host.data(), host.data(), host.size());
  return address.scope != 0 ? fmt::format("{}%{}", host.data(), address.scope) : host.data();
}

std::string to_text(const PeerAddress& address) {
  if (!address.known()) return "unknown";
  const std::string host = host_text(address);
  return address.is_ipv4() ? fmt::format("{}:{}", host, address.port) : fmt::format("[{}]:{}", host, address.port);
}

// Both kinds of socket address have the port in the same place.
Address at_port(Address address, uint16_t port) {
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  store_be16(address.storage, offsetof(sockaddr_in, sin_port), port);
  address.port = port;
  return address;
}

PeerAddress with_port(const PeerAddress& address, uint16_t port) {
  PeerAddress other = address;
  if (other.known()) other.port = port;
  return other;
}

std::string host_and_port(const Address& address) {
  std::string_view text = address.text;
  if (text.starts_with(kScheme)) text.remove_prefix(kScheme.size());
  if (text.ends_with('/')) text.remove_suffix(1);
  const size_t colon = text.rfind(':');
  const bool has_port = colon != text.npos && (text.front() != '[' || text[colon - 1] == ']');
  return has_port ? std::string(text) : fmt::format("{}:{}", text, address.port);
}

}  // namespace texcast::transport
