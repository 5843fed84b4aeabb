// interface.h — this machine's network interfaces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transport/address.h"

namespace texcast::transport {

struct NetworkInterface {
  std::string name;
  unsigned index = 0;
  int mtu = 0;  // bytes of an IP packet; 0 unknown
  bool up = false;
  bool loopback = false;
  bool multicast = false;
  std::vector<std::string> addresses;  // as text, without scope
};

std::vector<NetworkInterface> network_interfaces();

// What to send to so that it comes to a socket that listens on `listening`, as the URLs that `send` takes, the
// likeliest first: the address or group itself; for all interfaces (or the one of `interface_index`, 0: any) their
// addresses, IPv4 before IPv6, without those that reach no other machine unless there is nothing else. `port`: the
// bound one.
std::vector<std::string> urls_to_send_to(const Address& listening, uint16_t port, unsigned interface_index = 0);
// The same of given interfaces, for all of them; pure.
std::vector<std::string> urls_of(const std::vector<NetworkInterface>& interfaces, uint16_t port,
                                 unsigned interface_index = 0);

// "eth0", or one of its addresses. Throws Error{usage} that names those that there are.
unsigned interface_index(const std::string& name_or_address);

}  // namespace texcast::transport
