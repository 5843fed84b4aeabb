#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/errno_text.h"
#include "texcast/error.h"
#include "udp_options.h"

namespace texcast::transport {
namespace {

constexpr int kType = SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

std::string bind_advice(int error, const Address& address) {
  const std::string port = std::to_string(address.port);
  switch (error) {
    case EADDRINUSE:
      return "port " + port +
             " is in use: stop the program that receives there (ss -ulpn shows it; a receiver on the previous port "
             "uses "
             "it for RTCP), or listen on another port";
    case EADDRNOTAVAIL:
      return "cannot listen on " + address.text +
             ": no interface of this machine has that address (ip address shows them)";
    case EACCES: return "cannot listen on port " + port + ": ports below 1024 need root; choose a higher one";
    default: return "cannot listen on " + address.text + ": " + errno_text(error);
  }
}

sockaddr_storage any_ipv4(uint16_t port) {
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(port);
  sockaddr_storage storage{};
  std::memcpy(&storage, &any, sizeof any);
  return storage;
}

bool is_everywhere(const sockaddr_storage& address) {
  if (address.ss_family != AF_INET6) return false;
  sockaddr_in6 v6;
  std::memcpy(&v6, &address, sizeof v6);
  return IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr) != 0;
}

Address everywhere_ipv4(const Address& address) {
  Address ipv4 = address;
  const sockaddr_storage where = any_ipv4(address.port);
  std::memcpy(ipv4.storage.data(), &where, sizeof where);
  ipv4.length = sizeof(sockaddr_in);
  ipv4.ipv6 = false;
  return ipv4;
}

}  // namespace

Descriptor listen_on(const Address& address, unsigned interface_index, int buffer_bytes) {
  sockaddr_storage where = sockaddr_of(address);
  const bool everywhere = is_everywhere(where);
  Descriptor socket(::socket(where.ss_family, kType, 0));
  if (!socket.valid()) {
    if (everywhere)
      return listen_on(everywhere_ipv4(address), interface_index, buffer_bytes);  // this kernel has no IPv6
    throw Error(ErrorKind::network, "cannot open a UDP socket for " + address.text + ": " + errno_text(errno));
  }
  const int fd = socket.get();
  const int on = 1;
  const int off = 0;
  if (everywhere) ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (address.multicast) {
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // several may receive one group
    set_scope(where, interface_index);
  } else if (interface_index != 0) {
    bind_to_interface(fd, interface_index);
  }
  if (::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof buffer_bytes) != 0)
    ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof buffer_bytes);

  if (::bind(fd, reinterpret_cast<const sockaddr*>(&where), address.length) != 0) {
    const int error = errno;
    if (everywhere && error == EADDRNOTAVAIL)  // IPv6 is compiled in but disabled
      return listen_on(everywhere_ipv4(address), interface_index, buffer_bytes);
    throw Error(ErrorKind::network, bind_advice(error, address));
  }
  if (address.multicast) join_group(fd, address, interface_index);
  return socket;
}

int granted_buffer(int socket) {
  int doubled = 0;
  socklen_t length = sizeof doubled;
  return ::getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &doubled, &length) == 0 ? doubled / 2 : 0;
}

uint16_t bound_port(int socket) {
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  return ::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &length) == 0 ? port_of(bound) : uint16_t{0};
}

}  // namespace texcast::transport
