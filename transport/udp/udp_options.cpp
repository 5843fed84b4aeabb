#include "udp_options.h"

#include <fmt/core.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/errno_text.h"
#include "texcast/error.h"
#include "transport/stream_ports.h"

#ifndef IPV6_MULTICAST_ALL
#define IPV6_MULTICAST_ALL 29  // linux/in6.h, since 4.20
#endif

namespace texcast::transport {
namespace {

template <typename Value>
bool set(int socket, int level, int option, const Value& value) {
  return ::setsockopt(socket, level, option, &value, sizeof value) == 0;
}

bool is_link_local(const sockaddr_storage& address) {
  if (address.ss_family != AF_INET6) return false;
  sockaddr_in6 v6;
  std::memcpy(&v6, &address, sizeof v6);
  return IN6_IS_ADDR_MC_LINKLOCAL(&v6.sin6_addr) || IN6_IS_ADDR_MC_NODELOCAL(&v6.sin6_addr) ||
         IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr);
}

void send_to_group(int socket, const Address& to, const UdpSender::Settings& settings) {
  const int ttl = settings.multicast_ttl;
  const int on = 1;  // other receivers on this machine get it too
  bool fine =
      to.ipv6 ? set(socket, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, ttl) : set(socket, IPPROTO_IP, IP_MULTICAST_TTL, ttl);
  if (!fine) throw Error(ErrorKind::network, fmt::format("cannot set multicast TTL {}: {}", ttl, errno_text(errno)));
  if (to.ipv6)
    set(socket, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, on);
  else
    set(socket, IPPROTO_IP, IP_MULTICAST_LOOP, on);
  if (settings.interface_index == 0) return;
  const int index = static_cast<int>(settings.interface_index);
  fine = to.ipv6 ? set(socket, IPPROTO_IPV6, IPV6_MULTICAST_IF, index)
                 : set(socket, IPPROTO_IP, IP_MULTICAST_IF, ip_mreqn{{INADDR_ANY}, {INADDR_ANY}, index});
  if (!fine)
    throw Error(ErrorKind::network, fmt::format("cannot send to {} through that interface: {}; `ip address` shows "
                                                "whether it is up and has an address",
                                                to.text, errno_text(errno)));
}

std::string connect_advice(int error, const sockaddr_storage& where) {
  if (error == EINVAL && is_link_local(where))
    return "; it needs an interface: --interface NAME, or rtp://[ADDRESS%NAME]:PORT";
  return "; check the address and the routes (ip route)";
}

}  // namespace

sockaddr_storage sockaddr_of(const Address& address) {
  sockaddr_storage storage;
  std::memcpy(&storage, address.storage.data(), sizeof storage);
  return storage;
}

void set_scope(sockaddr_storage& address, unsigned interface_index) {
  if (interface_index == 0 || !is_link_local(address)) return;
  sockaddr_in6 v6;
  std::memcpy(&v6, &address, sizeof v6);
  if (v6.sin6_scope_id == 0) v6.sin6_scope_id = interface_index;
  std::memcpy(&address, &v6, sizeof v6);
}

static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));

uint16_t port_of(const sockaddr_storage& address) {
  sockaddr_in v4;
  std::memcpy(&v4, &address, sizeof v4);
  return ntohs(v4.sin_port);
}

void set_port(sockaddr_storage& address, uint16_t port) {
  const uint16_t network_order = htons(port);
  std::memcpy(reinterpret_cast<char*>(&address) + offsetof(sockaddr_in, sin_port), &network_order,
              sizeof network_order);
}

namespace {

// Not yet connected. Sets the scope of `where` if it lacks one.
Descriptor open_towards(const Address& to, const UdpSender::Settings& settings, sockaddr_storage& where) {
  Descriptor socket(::socket(where.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid())
    throw Error(ErrorKind::network, fmt::format("cannot open a UDP socket for {}: {}", to.text, errno_text(errno)));
  const int fd = socket.get();
  if (to.multicast)
    send_to_group(fd, to, settings);
  else if (settings.interface_index != 0)
    bind_to_interface(fd, settings.interface_index);
  set_scope(where, settings.interface_index);
  return socket;
}

}  // namespace

Descriptor open_sending_socket(const Address& to, const UdpSender::Settings& settings) {
  sockaddr_storage where = sockaddr_of(to);
  Descriptor socket = open_towards(to, settings, where);
  const int fd = socket.get();

  // A small send buffer only causes waiting, so whatever the kernel grants suffices; FORCE needs CAP_NET_ADMIN.
  const int bytes = settings.send_buffer_bytes;
  if (!set(fd, SOL_SOCKET, SO_SNDBUFFORCE, bytes)) set(fd, SOL_SOCKET, SO_SNDBUF, bytes);
  // No packet is fragmented unexpectedly: each fragment costs like a packet, and losing one loses all of them.
  if (to.ipv6)
    set(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, int{IPV6_PMTUDISC_DO});
  else
    set(fd, IPPROTO_IP, IP_MTU_DISCOVER, int{IP_PMTUDISC_DO});

  // The port is shared with open_member_socket().
  if (to.multicast && settings.group_feedback) set(fd, SOL_SOCKET, SO_REUSEADDR, 1);

  if (::connect(fd, reinterpret_cast<const sockaddr*>(&where), to.length) != 0) {
    const int error = errno;
    throw Error(ErrorKind::network,
                fmt::format("cannot send to {}: {}{}", to.text, errno_text(error), connect_advice(error, where)));
  }
  return socket;
}

Descriptor open_member_socket(int socket) {
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  Descriptor members;
  const bool bound = ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length) == 0 && [&] {
    members = Descriptor(::socket(own.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!members.valid() || !set(members.get(), SOL_SOCKET, SO_REUSEADDR, 1)) return false;
    // Not bound to the interface, like control sockets: the return path may differ, and does on loopback.
    return ::bind(members.get(), reinterpret_cast<const sockaddr*>(&own), length) == 0 &&
           // From now on nobody else may share the port.
           set(members.get(), SOL_SOCKET, SO_REUSEADDR, 0) && set(socket, SOL_SOCKET, SO_REUSEADDR, 0);
  }();
  if (!bound) throw Error(ErrorKind::network, fmt::format("cannot listen to a group's members: {}", errno_text(errno)));
  return members;
}

ControlSocket open_control_socket(const Address& to, const UdpSender::Settings& settings) {
  ControlSocket control{.socket = Descriptor(), .to = sockaddr_of(to), .length = to.length};
  control.socket = open_towards(to, settings, control.to);
  set_port(control.to, static_cast<uint16_t>(to.port + kRtcpPortOffset));
  return control;
}

int path_mtu(int socket, bool ipv6) {
  int mtu = 0;
  socklen_t length = sizeof mtu;
  const int failed = ipv6 ? ::getsockopt(socket, IPPROTO_IPV6, IPV6_MTU, &mtu, &length)
                          : ::getsockopt(socket, IPPROTO_IP, IP_MTU, &mtu, &length);
  return failed == 0 ? mtu : 0;
}

void allow_fragments(int socket, bool ipv6) {
  if (ipv6)
    set(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, int{IPV6_PMTUDISC_WANT});
  else
    set(socket, IPPROTO_IP, IP_MTU_DISCOVER, int{IP_PMTUDISC_WANT});
}

void join_group(int socket, const Address& address, unsigned interface_index) {
  const sockaddr_storage group = sockaddr_of(address);
  const int level = address.ipv6 ? IPPROTO_IPV6 : IPPROTO_IP;
  if (interface_index == 0 && address.ipv6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, &group, sizeof v6);
    interface_index = v6.sin6_scope_id;
  }
  bool joined = false;
  if (address.source.known()) {
    group_source_req request{};
    request.gsr_interface = interface_index;
    request.gsr_group = group;
    socket_address(address.source, group.ss_family, request.gsr_source);
    joined = set(socket, level, MCAST_JOIN_SOURCE_GROUP, request);
  } else {
    group_req request{};
    request.gr_interface = interface_index;
    request.gr_group = group;
    joined = set(socket, level, MCAST_JOIN_GROUP, request);
  }
  if (!joined)
    throw Error(ErrorKind::network,
                fmt::format("cannot join the multicast group of {}: {}; name the interface with --interface, or add a "
                            "route for it (ip route add {} dev INTERFACE)",
                            address.text, errno_text(errno), address.ipv6 ? "ff00::/8" : "224.0.0.0/4"));
  // By default a socket also gets the groups that other sockets of this machine joined, on any interface.
  const int off = 0;
  if (address.ipv6)
    set(socket, IPPROTO_IPV6, IPV6_MULTICAST_ALL, off);
  else
    set(socket, IPPROTO_IP, IP_MULTICAST_ALL, off);
}

void bind_to_interface(int socket, unsigned interface_index) {
  std::array<char, IF_NAMESIZE> name{};
  if (::if_indextoname(interface_index, name.data()) == nullptr)
    throw Error(ErrorKind::network, fmt::format("network interface {} no longer exists", interface_index));
  if (::setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, name.data(), static_cast<socklen_t>(name.size())) != 0)
    throw Error(ErrorKind::network,
                fmt::format("cannot bind to interface {}: {}; kernels before 5.7 require root for it", name.data(),
                            errno_text(errno)));
}

}  // namespace texcast::transport
