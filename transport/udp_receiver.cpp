// udp_receiver.cpp — the receiving half of udp_socket.h.
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "socket_handle.h"
#include "transport/udp_socket.h"
#include "udp_options.h"

#ifndef UDP_GRO
#define UDP_GRO 104  // linux/udp.h, since 5.0
#endif

namespace texcast::transport {
namespace {

// With UDP_GRO one message may be a whole train of datagrams; without it one is at most a jumbo packet.
constexpr size_t kTrainBytes = 65536;
constexpr size_t kTrainBatch = 16;
constexpr size_t kDatagramBytes = 9216;
constexpr size_t kDatagramBatch = 64;

constexpr size_t kControlBytes = 2 * CMSG_SPACE(sizeof(uint32_t));  // UDP_GRO's size and SO_RXQ_OVFL's count

std::string bind_advice(int error, const Address& address) {
  const std::string port = std::to_string(address.port);
  switch (error) {
    case EADDRINUSE:
      return "port " + port +
             " is in use: stop the program that receives there (ss -ulpn shows it), or listen on another port";
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

// The kernel doubles what is asked for, for its own bookkeeping, and gives the doubled value back.
int granted_buffer(int socket) {
  int doubled = 0;
  socklen_t length = sizeof doubled;
  return ::getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &doubled, &length) == 0 ? doubled / 2 : 0;
}

}  // namespace

struct UdpReceiver::Impl {
  struct Message {
    size_t bytes = 0;
    size_t segment_bytes = 0;
  };

  SocketHandle socket;
  SocketHandle wake_event{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  int wanted_bytes = 0;
  int granted_bytes = 0;
  uint16_t port = 0;
  size_t buffer_bytes = 0;  // of one message
  std::unique_ptr<std::byte[]> memory;
  std::vector<iovec> pieces;
  std::vector<mmsghdr> headers;
  std::vector<PeerAddress> sources;
  std::vector<std::array<char, kControlBytes>> controls;
  std::vector<Message> messages;
  uint32_t dropped_last = 0;
  uint64_t dropped = 0;

  void open(const Settings& settings);
  void allocate(bool gro);
  int read();
  void parse_control(size_t index);
};

void UdpReceiver::Impl::open(const Settings& settings) {
  const Address& address = settings.address;
  sockaddr_storage where = sockaddr_of(address);
  socklen_t length = address.length;
  const bool everywhere = address.ipv6 && [&] {
    sockaddr_in6 v6;
    std::memcpy(&v6, &where, sizeof v6);
    return IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr) != 0;
  }();

  constexpr int kType = SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  socket = SocketHandle(::socket(where.ss_family, kType, 0));
  if (!socket.valid() && everywhere) {  // a kernel without IPv6
    where = any_ipv4(address.port);
    length = sizeof(sockaddr_in);
    socket = SocketHandle(::socket(AF_INET, kType, 0));
  }
  if (!socket.valid())
    throw Error(ErrorKind::network, "cannot open a UDP socket for " + address.text + ": " + errno_text(errno));

  const int fd = socket.get();
  const int on = 1;
  const int off = 0;
  if (everywhere && where.ss_family == AF_INET6) ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (address.multicast) {
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // several may watch one group
    set_scope(where, settings.interface_index);
  } else if (settings.interface_index != 0) {
    bind_to_interface(fd, settings.interface_index);
  }

  wanted_bytes = settings.receive_buffer_bytes;
  if (::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &wanted_bytes, sizeof wanted_bytes) != 0)
    ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &wanted_bytes, sizeof wanted_bytes);
  granted_bytes = granted_buffer(fd);
  ::setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);

  if (::bind(fd, reinterpret_cast<const sockaddr*>(&where), length) != 0) {
    int error = errno;
    if (everywhere && error == EADDRNOTAVAIL) {  // IPv6 compiled in but switched off
      socket = SocketHandle();
      Settings ipv4 = settings;
      where = any_ipv4(address.port);
      std::memcpy(ipv4.address.storage.data(), &where, sizeof where);
      ipv4.address.length = sizeof(sockaddr_in);
      ipv4.address.ipv6 = false;
      open(ipv4);
      return;
    }
    throw Error(ErrorKind::network, bind_advice(error, address));
  }
  if (address.multicast) join_group(fd, address, settings.interface_index);

  sockaddr_storage bound{};
  socklen_t bound_length = sizeof bound;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &bound_length) == 0) {
    static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
    sockaddr_in v4;
    std::memcpy(&v4, &bound, sizeof v4);
    port = ntohs(v4.sin_port);
  }
  allocate(settings.allow_gro && ::setsockopt(fd, IPPROTO_UDP, UDP_GRO, &on, sizeof on) == 0);
}

void UdpReceiver::Impl::allocate(bool gro) {
  buffer_bytes = gro ? kTrainBytes : kDatagramBytes;
  const size_t batch = gro ? kTrainBatch : kDatagramBatch;
  memory = std::make_unique_for_overwrite<std::byte[]>(batch * buffer_bytes);
  pieces.resize(batch);
  headers.resize(batch);
  sources.resize(batch);
  controls.resize(batch);
  messages.resize(batch);
  for (size_t i = 0; i < batch; ++i) pieces[i] = {memory.get() + i * buffer_bytes, buffer_bytes};
}

int UdpReceiver::Impl::read() {
  for (size_t i = 0; i < headers.size(); ++i) {
    headers[i] = {};
    headers[i].msg_hdr.msg_iov = &pieces[i];
    headers[i].msg_hdr.msg_iovlen = 1;
    headers[i].msg_hdr.msg_name = sources[i].bytes.data();
    headers[i].msg_hdr.msg_namelen = sizeof(PeerAddress::bytes);
    headers[i].msg_hdr.msg_control = controls[i].data();
    headers[i].msg_hdr.msg_controllen = controls[i].size();
  }
  const int count =
      ::recvmmsg(socket.get(), headers.data(), static_cast<unsigned>(headers.size()), MSG_DONTWAIT, nullptr);
  for (int i = 0; i < count; ++i) parse_control(static_cast<size_t>(i));
  return count;
}

void UdpReceiver::Impl::parse_control(size_t index) {
  msghdr& header = headers[index].msg_hdr;
  Message& message = messages[index];
  message.bytes = headers[index].msg_len;
  message.segment_bytes = message.bytes;
  sources[index].length = static_cast<uint8_t>(std::min<size_t>(header.msg_namelen, sizeof(PeerAddress::bytes)));
  for (cmsghdr* control = CMSG_FIRSTHDR(&header); control; control = CMSG_NXTHDR(&header, control)) {
    if (control->cmsg_level == IPPROTO_UDP && control->cmsg_type == UDP_GRO) {
      int segment_bytes = 0;
      std::memcpy(&segment_bytes, CMSG_DATA(control), sizeof segment_bytes);
      if (segment_bytes > 0) message.segment_bytes = static_cast<size_t>(segment_bytes);
    } else if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SO_RXQ_OVFL) {
      uint32_t total = 0;  // since the socket was opened; wraps
      std::memcpy(&total, CMSG_DATA(control), sizeof total);
      dropped += total - dropped_last;
      dropped_last = total;
    }
  }
}

UdpReceiver::UdpReceiver(const Settings& settings) : impl_(std::make_unique<Impl>()) {
  if (!impl_->wake_event.valid()) throw Error(ErrorKind::failed, "cannot make an eventfd: " + errno_text(errno));
  impl_->open(settings);
}

UdpReceiver::~UdpReceiver() = default;

int UdpReceiver::wait_and_read(SteadyTime deadline) {
  for (;;) {
    const int count = impl_->read();
    if (count > 0) return count;
    // Errors of earlier sends cannot reach a socket that only receives; whatever else it is, waiting is safe.
    const nanoseconds left = std::max(deadline - steady_now(), nanoseconds(0));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec timeout{static_cast<time_t>(seconds.count()), static_cast<long>((left - seconds).count())};
    std::array<pollfd, 2> waiting{{{impl_->socket.get(), POLLIN, 0}, {impl_->wake_event.get(), POLLIN, 0}}};
    const int ready = ::ppoll(waiting.data(), waiting.size(), &timeout, nullptr);
    if (waiting[1].revents & POLLIN) {
      eventfd_t ignored;
      ::eventfd_read(impl_->wake_event.get(), &ignored);
      return std::max(impl_->read(), 0);
    }
    if (ready <= 0 && steady_now() >= deadline) return 0;
  }
}

void UdpReceiver::wake() { ::eventfd_write(impl_->wake_event.get(), 1); }

int UdpReceiver::buffer_bytes() const { return impl_->granted_bytes; }

std::string UdpReceiver::buffer_advice() const {
  if (impl_->granted_bytes >= impl_->wanted_bytes) return {};
  return "sysctl -w net.core.rmem_max=" + std::to_string(impl_->wanted_bytes);
}

uint64_t UdpReceiver::dropped_by_kernel() const { return impl_->dropped; }

uint16_t UdpReceiver::port() const { return impl_->port; }

UdpReceiver::Segments UdpReceiver::segments(int index) const {
  const auto i = static_cast<size_t>(index);
  const auto& message = impl_->messages[i];
  return {Bytes(impl_->memory.get() + i * impl_->buffer_bytes, message.bytes),
          std::max<size_t>(message.segment_bytes, 1), impl_->sources[i]};
}

bool UdpReceiver::send_back(const PeerAddress& to, Bytes datagram) {
  if (!to.known()) return false;
  sockaddr_storage address{};
  std::memcpy(&address, to.bytes.data(), to.length);
  return ::sendto(impl_->socket.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                  reinterpret_cast<const sockaddr*>(&address), to.length) >= 0;
}

}  // namespace texcast::transport
