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
  int mtu = 0;  // bytes of an IP packet; 0: unknown
  bool up = false;
  bool loopback = false;
  bool multicast = false;
  std::vector<std::string> addresses;  // as text, without scope
};

std::vector<NetworkInterface> network_interfaces();

// URLs to which a sender can send so that packets arrive at a socket that listens on `listening`, the likeliest first:
// the address or group itself. For all interfaces (or that of `interface_index`, 0: any), their addresses, IPv4 before
// IPv6; those that no other machine can reach only if there are no others. `port` is the bound one.
std::vector<std::string> urls_to_send_to(const Address& listening, uint16_t port, unsigned interface_index = 0);
// The same for all addresses of the given interfaces. No I/O.
std::vector<std::string> urls_of(const std::vector<NetworkInterface>& interfaces, uint16_t port,
                                 unsigned interface_index = 0);

// "eth0", or one of its addresses. Throws Error{usage}, which lists the existing interfaces.
unsigned interface_index(const std::string& name_or_address);

}  // namespace texcast::transport
