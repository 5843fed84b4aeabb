// socket_address.h — converts between addresses and those of the OS. Only for the files that call the OS.
#pragma once

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include "transport/address.h"

// The options for segmenting and coalescing datagrams, in case the system's headers are older.
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103  // linux/udp.h, since 4.18
#endif
#ifndef UDP_GRO
#define UDP_GRO 104  // since 5.0
#endif

namespace texcast::transport {

// From a sockaddr_in or sockaddr_in6; unknown for anything else.
PeerAddress peer_address(const sockaddr_storage& from);
// The reverse for a socket of this family; returns the length, or 0 if such a socket cannot reach the address.
socklen_t socket_address(const PeerAddress& peer, int family, sockaddr_storage& to);

}  // namespace texcast::transport
