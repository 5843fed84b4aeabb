// interface.h — this machine's network interfaces.
#pragma once

#include <string>
#include <vector>

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

// "eth0", or one of its addresses. Throws Error{usage} that names those that there are.
unsigned interface_index(const std::string& name_or_address);

}  // namespace texcast::transport
