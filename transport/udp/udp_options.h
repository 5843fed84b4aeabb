// udp_options.h — sockets opened, and what is asked of the kernel for them: interface, group, buffers, size of packets.
// Only for the files that talk to the OS.
#pragma once

#include <sys/socket.h>

#include <string>

#include "base/descriptor.h"
#include "socket_address.h"
#include "transport/udp_socket.h"

namespace texcast::transport {

sockaddr_storage sockaddr_of(const Address& address);

uint16_t port_of(const sockaddr_storage& address);
void set_port(sockaddr_storage& address, uint16_t port);

// Gives a link-local IPv6 address the interface that it needs, where it has none (0: leaves it).
void set_scope(sockaddr_storage& address, unsigned interface_index);

// A socket connected to `to`. Throws Error{network} that says what to do.
Descriptor open_sending_socket(const Address& to, const UdpSender::Settings& settings);

// The port of a socket that is connected to a group, for what its members send there: they are not who that one is
// connected to. Throws Error{network}.
Descriptor open_member_socket(int socket);

// Not connected, so that anyone may answer; `to` is the port after the media's.
struct ControlSocket {
  Descriptor socket;
  sockaddr_storage to{};
  socklen_t length = 0;
};
ControlSocket open_control_socket(const Address& to, const UdpSender::Settings& settings);

// The largest IP packet that the path takes, as far as the kernel knows; 0 unknown. Of a connected socket.
int path_mtu(int socket, bool ipv6);
// From now on the kernel may cut packets that are larger than that (it may not after open_sending_socket()).
void allow_fragments(int socket, bool ipv6);

// Joins the group of a bound socket, on one interface (0: the routes choose), from one source where `address` has one.
void join_group(int socket, const Address& address, unsigned interface_index);
// Only what comes and goes through that interface. Throws Error{network}.
void bind_to_interface(int socket, unsigned interface_index);

// A bound socket that listens: on an address, a group of one (joined), or everything, IPv6 and IPv4; through one
// interface where `interface_index` is not 0. Throws Error{network} that says what to do.
Descriptor listen_on(const Address& address, unsigned interface_index, int buffer_bytes);

// What the kernel granted of the buffer. It doubles what is asked for, for its own bookkeeping, and tells the double.
int granted_buffer(int socket);
uint16_t bound_port(int socket);

}  // namespace texcast::transport
