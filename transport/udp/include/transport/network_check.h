// network_check.h — what this machine's network can do for a stream, for `texcast doctor`.
#pragma once

#include <string>
#include <vector>

#include "transport/interface.h"

namespace texcast::transport {

// Whether the kernel takes trains of datagrams in one call (UDP_SEGMENT, Linux 4.18), and gives them so (UDP_GRO, 5.0).
bool has_udp_segment();
bool has_udp_gro();

struct InterfaceQueue {
  unsigned interface_index = 0;
  std::string kind;  // of the queueing discipline at the root: "fq", "fq_codel", "pfifo_fast", "noqueue" …
};
// As rtnetlink tells it; empty where it does not.
std::vector<InterfaceQueue> interface_queues();

}  // namespace texcast::transport
