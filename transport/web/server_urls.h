// server_urls.h — addresses under which browsers reach this machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transport/interface.h"
#include "transport/peer_address.h"

namespace texcast::web {

// An interface, and how likely it leads to the viewers.
struct RankedInterface {
  transport::NetworkInterface interface;
  enum class Kind : uint8_t { default_route, hardware, other, bridge } kind = Kind::other;
};

// URLs of this machine, the most useful first: `names` (of a certificate; patterns are left out), then addresses.
// `bound`: the only address at which the server listens; unknown: all.
std::vector<std::string> server_urls(const transport::PeerAddress& bound, uint16_t port, bool tls,
                                     const std::vector<std::string>& names = {});
// The same for given interfaces. No I/O. Interfaces that are down, and link-local IPv6 addresses, which browsers do not
// take, are left out; this machine's own (localhost) comes last.
std::vector<std::string> urls_of(std::vector<RankedInterface> interfaces, uint16_t port, bool tls);

}  // namespace texcast::web
