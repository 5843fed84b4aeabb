#include "listener.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/sockios.h>
#include <linux/tcp.h>  // has more of tcp_info than netinet/tcp.h
#include <netdb.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/errno_text.h"
#include "texcast/error.h"

namespace texcast::web {
namespace {

constexpr int kBacklog = 256;
// The kernel takes more bytes for a viewer only while fewer than these have not been sent yet. More would only make
// what waits there older, and it cannot be dropped there. A fast connection sends them in 0.3 ms (1 Gbit/s), which is
// more than the server's thread takes to add others.
constexpr int kUnsentBytes = 32 << 10;
// So much may be on its way whatever the delay is, so that there are always acknowledgements by which delay is
// measured.
constexpr int kLittleOutstanding = 64 << 10;
// A peer that disappeared while nothing is sent is found within half a minute.
constexpr int kKeepaliveIdleS = 10, kKeepaliveEveryS = 5, kKeepaliveProbes = 4;

template <typename Value>
void set_option(int socket, int level, int name, Value value) {
  // Older kernels lack some of them; the server works without.
  static_cast<void>(setsockopt(socket, level, name, &value, sizeof value));
}

transport::PeerAddress peer_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    sockaddr_in ipv4{};
    std::memcpy(&ipv4, &address, sizeof ipv4);
    return transport::PeerAddress::of_ipv4(std::as_bytes(std::span(&ipv4.sin_addr, 1)), ntohs(ipv4.sin_port));
  }
  if (address.ss_family != AF_INET6) return {};
  sockaddr_in6 ipv6{};
  std::memcpy(&ipv6, &address, sizeof ipv6);
  return transport::PeerAddress::of_ipv6(std::as_bytes(std::span(&ipv6.sin6_addr, 1)), ntohs(ipv6.sin6_port),
                                         ipv6.sin6_scope_id);
}

[[noreturn]] void cannot_listen(const std::string& address, uint16_t port, int error) {
  const std::string place = fmt::format("{}:{}", address.empty() ? "*" : address, port);
  const char* what_to_do = error == EADDRINUSE ? "; another program has this port, so use another one (web://:8081)"
                           : error == EACCES   ? "; ports below 1024 need root, so use another one (web://:8080)"
                           : error == EADDRNOTAVAIL ? "; it is no address of this machine"
                                                    : "";
  throw Error(ErrorKind::network,
              fmt::format("cannot listen at {} for browsers: {}{}", place, errno_text(error), what_to_do));
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

Descriptor spare_descriptor() { return Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

// Returns an errno, or 0.
int try_listen(const addrinfo& address, bool any, Descriptor& socket) {
  socket = Descriptor(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return errno;
  set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);  // a server that restarts can have its port back at once
  if (address.ai_family == AF_INET6) set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, any ? 0 : 1);
  if (bind(socket.get(), address.ai_addr, address.ai_addrlen) != 0) return errno;
  return listen(socket.get(), kBacklog) == 0 ? 0 : errno;
}

}  // namespace

Listener::Listener(const std::string& address, uint16_t port) : spare_(spare_descriptor()) {
  std::string host = address;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const bool any = host.empty();
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failure = getaddrinfo(any ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failure != 0)
    throw Error(ErrorKind::network,
                fmt::format("cannot find the address '{}' for browsers: {}; give an address of this "
                            "machine, or none (web://:{})",
                            address, gai_strerror(failure), port));
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  // An IPv6 socket takes IPv4, too. A kernel without IPv6 has only the other.
  std::vector<const addrinfo*> order;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) order.push_back(one);
  if (any)
    std::ranges::stable_sort(order, [](const addrinfo* a, const addrinfo* b) {
      return a->ai_family == AF_INET6 && b->ai_family != AF_INET6;
    });
  int error = EADDRNOTAVAIL;
  for (const addrinfo* one : order) {
    const int result = try_listen(*one, any, socket_);
    if (result == 0) {
      error = 0;
      break;
    }
    error = result;
    if (result == EADDRINUSE) break;
  }
  if (error != 0) cannot_listen(address, port, error);
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&bound), &length);
  const transport::PeerAddress here = peer_of(bound);
  port_ = here.port;
  const bool unspecified = std::ranges::all_of(here.host, [](std::byte b) { return b == std::byte{0}; }) ||
                           (here.is_ipv4() && std::all_of(here.host.begin() + 12, here.host.end(),
                                                          [](std::byte b) { return b == std::byte{0}; }));
  if (!unspecified) bound_ = here;
}

std::optional<Listener::Accepted> Listener::accept() {
  while (true) {
    sockaddr_storage from{};
    socklen_t length = sizeof from;
    Descriptor socket(
        ::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&from), &length, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid()) return Accepted{.socket = std::move(socket), .from = peer_of(from)};
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if ((errno != EMFILE && errno != ENFILE) || !spare_.valid()) return std::nullopt;
    spare_.close();
    Descriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)).close();
    spare_ = spare_descriptor();
    return std::nullopt;  // not again: without a descriptor, accept4() fails so even if no connection waits
  }
}

void set_options(int socket, int stalled_ms) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, kUnsentBytes);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<unsigned>(stalled_ms));
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, kKeepaliveIdleS);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, kKeepaliveEveryS);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, kKeepaliveProbes);
}

size_t unsent_bytes(int socket) {
  int bytes = 0;
  return ioctl(socket, SIOCOUTQNSD, &bytes) == 0 ? static_cast<size_t>(std::max(bytes, 0)) : 0;
}

nanoseconds queueing_delay(int socket) {
  tcp_info info{};
  socklen_t length = sizeof info;
  int outstanding = 0;
  if (ioctl(socket, SIOCOUTQ, &outstanding) != 0 || outstanding < kLittleOutstanding ||
      getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
      length < offsetof(tcp_info, tcpi_min_rtt) + sizeof info.tcpi_min_rtt || info.tcpi_rtt < info.tcpi_min_rtt)
    return {};
  return std::chrono::microseconds(info.tcpi_rtt - info.tcpi_min_rtt);
}

void reset_at_close(int socket) { set_option(socket, SOL_SOCKET, SO_LINGER, linger{.l_onoff = 1, .l_linger = 0}); }

}  // namespace texcast::web
