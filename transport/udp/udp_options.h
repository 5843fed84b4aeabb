// udp_options.h — opens sockets and sets their options: interface, group, buffers, packet size. Only for the files that
// call the OS.
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

// Sets the interface of a link-local IPv6 address that has none (0: does nothing).
void set_scope(sockaddr_storage& address, unsigned interface_index);

// A socket connected to `to`. Throws Error{network} with advice.
Descriptor open_sending_socket(const Address& to, const UdpSender::Settings& settings);

// A socket on the same port as `socket`, which is connected to a group. It receives what the group's members send,
// which the connected one does not. Throws Error{network}.
Descriptor open_member_socket(int socket);

// Not connected, so that anyone may answer; `to` is the port after the media port.
struct ControlSocket {
  Descriptor socket;
  sockaddr_storage to{};
  socklen_t length = 0;
};
ControlSocket open_control_socket(const Address& to, const UdpSender::Settings& settings);

// The path MTU in bytes of an IP packet, as far as the kernel knows; 0: unknown. For a connected socket.
int path_mtu(int socket, bool ipv6);
// Allows the kernel to fragment larger packets from now on (after open_sending_socket() it may not).
void allow_fragments(int socket, bool ipv6);

// Joins the group of a bound socket, on one interface (0: according to the routes), from one source if `address` has
// one.
void join_group(int socket, const Address& address, unsigned interface_index);
// Limits the socket to that interface. Throws Error{network}.
void bind_to_interface(int socket, unsigned interface_index);

// A bound socket that listens on one address, on a group (joined), or on everything, IPv6 and IPv4; limited to one
// interface if `interface_index` is not 0. Throws Error{network} with advice.
Descriptor listen_on(const Address& address, unsigned interface_index, int buffer_bytes);

// The buffer size granted by the kernel. The kernel reports twice the requested size, for its own bookkeeping.
int granted_buffer(int socket);
uint16_t bound_port(int socket);

}  // namespace texcast::transport
