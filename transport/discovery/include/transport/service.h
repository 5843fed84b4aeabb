// service.h — what senders and waiting players say of themselves on the local network (DNS-SD), and how that is written
// into a TXT record (docs/wire.md, "Found by name").
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

// Never a secret, an input's name, or whom a stream goes to.
struct ServiceFacts {
  std::string version{};  // of texcast
  std::string sealed{};  // the cipher that a player asks for or a stream has, as --crypto names it; empty: in the clear
  std::string group{};   // where it listens or sends, if that is a multicast group: its address, no port
  // Of a sender:
  std::string format{};  // "bc1"
  std::string coding{};  // "compact", "plain"
  int width = 0, height = 0;
  double fps = 0;
  std::string sound{};  // how it is coded, "opus"; empty: there is none
  bool paused = false;
  double rate_bits_per_s = 0;  // the most that it sends to anybody; 0: no limit
  bool operator==(const ServiceFacts&) const = default;
};

// Strings of a TXT record, "key=value", each 255 bytes at most.
std::vector<std::string> txt_of(ServiceKind kind, const ServiceFacts& facts);
// Of a record from the network: what cannot be is as if it had not been said; a group is one, and strings have nothing
// but printable ASCII.
ServiceFacts facts_of(std::span<const std::string> txt);

// The longest beginning of `wanted` that DNS-SD takes as a name: 63 bytes, whole characters of UTF-8, none that a
// terminal obeys instead of showing it (base/utf8.h). Empty where nothing is left.
std::string fitting_name(std::string_view wanted);
// Of this machine: its host name without a domain, and the port where that is not the usual one: "studio",
// "studio-5006".
std::string usual_name(uint16_t port);
// Names are equal whatever the case of their ASCII letters (RFC 6763 4.1.3, RFC 6762 16).
bool same_name(std::string_view a, std::string_view b);

// A service that was found.
struct FoundService {
  ServiceKind kind = ServiceKind::player;
  std::string name{};        // as it was announced: any bytes, see fitting_name()
  std::string host{};        // "studio.local"
  std::string interface {};  // of this machine, through which it was found: "eth0"; empty: it is this machine's alone
  bool here = false;         // this machine's own
  // URLs, the likeliest first: of a player what to send to, of a sender what to listen to, if it sends to a group.
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
// What FoundService::urls has. Of several: loopback (the service is this machine's), IPv4, IPv6, and last link-local
// ones.
std::vector<std::string> urls_of(ServiceKind kind, const ServiceFacts& facts, std::vector<ServiceAddress> addresses);

}  // namespace texcast::transport
