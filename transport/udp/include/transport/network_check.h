// network_check.h — the abilities of this machine's network, for `texcast doctor`.
#pragma once

#include <string>
#include <vector>

#include "transport/interface.h"

namespace texcast::transport {

// True if the kernel sends trains of datagrams in one call (UDP_SEGMENT, Linux 4.18), and receives them so (UDP_GRO,
// 5.0).
bool has_udp_segment();
bool has_udp_gro();

struct InterfaceQueue {
  unsigned interface_index = 0;
  std::string kind;  // queueing discipline at the root: "fq", "fq_codel", "pfifo_fast", "noqueue" …
};
// From rtnetlink; empty if it fails.
std::vector<InterfaceQueue> interface_queues();

}  // namespace texcast::transport
