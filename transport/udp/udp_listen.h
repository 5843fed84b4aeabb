// udp_listen.h — a bound socket that listens. Only for the files that talk to the OS.
#pragma once

#include <cstdint>

#include "socket_handle.h"
#include "transport/address.h"

namespace texcast::transport {

// On an address, a group of one (joined), or everything, IPv6 and IPv4; through one interface where `interface_index`
// is not 0. Throws Error{network} that says what to do.
SocketHandle listen_on(const Address& address, unsigned interface_index, int buffer_bytes);

// What the kernel granted of the buffer. It doubles what is asked for, for its own bookkeeping, and tells the double.
int granted_buffer(int socket);
uint16_t bound_port(int socket);

}  // namespace texcast::transport
