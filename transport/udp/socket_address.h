// socket_address.h — addresses from the OS and to it. Only for the files that talk to the OS.
#pragma once

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include "transport/address.h"

// The options with which the kernel cuts and joins trains of datagrams, also where the system's headers are older.
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103  // linux/udp.h, since 4.18
#endif
#ifndef UDP_GRO
#define UDP_GRO 104  // since 5.0
#endif

namespace texcast::transport {

// Of a sockaddr_in or sockaddr_in6; unknown of anything else.
PeerAddress peer_address(const sockaddr_storage& from);
// The same for a socket of this family, and how long it is; 0 where such a socket cannot reach it.
socklen_t socket_address(const PeerAddress& peer, int family, sockaddr_storage& to);

}  // namespace texcast::transport
