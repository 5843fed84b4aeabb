// network_check.h — the abilities of this machine's network, for `texcast doctor`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transport/interface.h"

namespace texcast::transport {

// True if the kernel sends trains of datagrams in one call (UDP_SEGMENT, Linux 4.18), and receives them so (UDP_GRO,
// 5.0).
bool has_udp_segment();
bool has_udp_gro();

// Whether a stream could be received at a UDP port of this machine, on all interfaces.
struct PortState {
  bool free = false;
  std::string holder{};  // the program that has it: "texcast"; empty: free, or it belongs to another user
  int process = 0;       // its process id; 0: unknown
  std::string why{};     // why the port cannot be opened, if no program has it; empty otherwise
};
PortState udp_port_state(uint16_t port);

struct InterfaceQueue {
  unsigned interface_index = 0;
  std::string kind;  // queueing discipline at the root: "fq", "fq_codel", "pfifo_fast", "noqueue" …
};
// From rtnetlink; empty if it fails.
std::vector<InterfaceQueue> interface_queues();

}  // namespace texcast::transport
