// service.h — what senders and waiting players announce on the local network (DNS-SD), and its encoding in a TXT record
// (docs/wire.md, "Found by name").
//
// Thread-safe: functions only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace texcast::transport {

enum class ServiceKind { player, sender };
std::string_view name(ServiceKind kind);          // "player", "sender"
std::string_view service_type(ServiceKind kind);  // "_texcast-play._udp", "_texcast-send._udp"

// Never contains a secret, the name of an input, or a stream's destination.
struct ServiceFacts {
  std::string version{};  // of texcast
  std::string sealed{};   // the cipher that a player requires or a stream has, as in --crypto; empty: not encrypted
  std::string group{};    // the multicast group that it listens or sends to, without port; empty: none
  // Senders only:
  std::string format{};  // "bc1"
  std::string coding{};  // "compact", "plain"
  int width = 0, height = 0;
  double fps = 0;
  std::string sound{};  // coding of the audio, "opus"; empty: there is none
  bool paused = false;
  double rate_bits_per_s = 0;  // upper bound of the rate to each destination; 0: no limit
  bool operator==(const ServiceFacts&) const = default;
};

// The strings of a TXT record, "key=value", of at most 255 bytes each.
std::vector<std::string> txt_of(ServiceKind kind, const ServiceFacts& facts);
// Parses a record from the network. Invalid values are ignored; strings are limited to printable ASCII, and `group`
// must be a multicast address.
ServiceFacts facts_of(std::span<const std::string> txt);

// The longest prefix of `wanted` that is a valid DNS-SD name: 63 bytes, whole UTF-8 characters, no control characters
// for a terminal (base/utf8.h). Empty if nothing is left.
std::string fitting_name(std::string_view wanted);
// The default name for this machine: its host name without domain, followed by the port if that is not the default one:
// "studio", "studio-5006".
std::string usual_name(uint16_t port);
// Compares names, ignoring the case of ASCII letters (RFC 6763 4.1.3, RFC 6762 16).
bool same_name(std::string_view a, std::string_view b);

// A service that was found.
struct FoundService {
  ServiceKind kind = ServiceKind::player;
  std::string name{};        // as announced: arbitrary bytes, see fitting_name()
  std::string host{};        // "studio.local"
  std::string interface {};  // of this machine, on which it was found: "eth0"; empty: only within this machine
  bool here = false;         // it runs on this machine
  // URLs, the likeliest first: where to send to (player), or what to listen to (sender, if it sends to a group).
  std::vector<std::string> urls{};
  ServiceFacts facts{};
};

// An address at which a service was found.
struct ServiceAddress {
  std::string address{};     // "192.0.2.1", "fe80::1"
  std::string interface {};  // of this machine
  uint16_t port = 0;
  bool operator==(const ServiceAddress&) const = default;
};
// The value of FoundService::urls. The order is: loopback (a service of this machine), IPv4, IPv6, link-local.
std::vector<std::string> urls_of(ServiceKind kind, const ServiceFacts& facts, std::vector<ServiceAddress> addresses);

}  // namespace texcast::transport
