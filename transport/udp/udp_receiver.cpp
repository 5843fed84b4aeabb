// udp_receiver.cpp — the receiving half of udp_socket.h.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <vector>

#include "base/descriptor.h"
#include "base/log.h"
#include "base/poll_until.h"
#include "base/wake_event.h"
#include "socket_address.h"
#include "texcast/error.h"
#include "transport/stream_ports.h"
#include "transport/udp_socket.h"
#include "udp_options.h"

namespace texcast::transport {
namespace {

// With UDP_GRO a message may be a whole train of datagrams; without, at most a jumbo packet.
constexpr size_t kTrainBytes = 65536;
constexpr size_t kTrainBatch = 16;
constexpr size_t kDatagramBytes = 9216;
constexpr size_t kDatagramBatch = 64;

constexpr int kControlBufferBytes = 256 << 10;
constexpr size_t kMaxControlDatagram = 2048;
constexpr int kMostControlAtOnce = 64;

// For UDP_GRO's size, SO_RXQ_OVFL's count and SO_TIMESTAMPNS's time.
constexpr size_t kControlBytes = 2 * CMSG_SPACE(sizeof(uint32_t)) + CMSG_SPACE(sizeof(timespec));

bool send_from(int socket, const PeerAddress& to, Bytes datagram) {
  if (!to.known() || datagram.empty()) return false;
  int family = AF_UNSPEC;
  socklen_t family_bytes = sizeof family;
  if (::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &family_bytes) != 0) return false;
  sockaddr_storage address{};
  const socklen_t length = socket_address(to, family, address);
  return length > 0 && ::sendto(socket, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr*>(&address), length) >= 0;
}

}  // namespace

struct UdpReceiver::Impl {
  struct Message {
    size_t bytes = 0;
    size_t segment_bytes = 0;
    WallTime came{};  // of its first datagram
  };

  Descriptor socket;
  Descriptor control_socket;  // invalid: none
  bool control_waiting = false;
  WakeEvent wake_event;
  int watched = -1;
  int wanted_bytes = 0;
  int granted_bytes = 0;
  uint16_t port = 0;
  size_t buffer_bytes = 0;  // of one message
  std::unique_ptr<std::byte[]> memory;
  std::vector<iovec> pieces;
  std::vector<mmsghdr> headers;
  std::vector<sockaddr_storage> sources;
  std::vector<std::array<char, kControlBytes>> controls;
  std::vector<Message> messages;
  uint32_t dropped_last = 0;
  uint64_t dropped = 0;

  void open(const Settings& settings);
  void open_control(const Settings& settings);
  void allocate(bool gro);
  int read();
  void parse_control(size_t index);
};

void UdpReceiver::Impl::open(const Settings& settings) {
  socket = listen_on(settings.address, settings.interface_index, settings.receive_buffer_bytes);
  wanted_bytes = settings.receive_buffer_bytes;
  granted_bytes = granted_buffer(socket.get());
  port = bound_port(socket.get());
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
  // The first datagrams may arrive before the kernel stamps them: then the time of reading is used.
  ::setsockopt(socket.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  allocate(settings.allow_gro && ::setsockopt(socket.get(), IPPROTO_UDP, UDP_GRO, &on, sizeof on) == 0);
  if (settings.control) open_control(settings);
}

void UdpReceiver::Impl::open_control(const Settings& settings) {
  Address address = settings.address;
  address.port = static_cast<uint16_t>(port + kRtcpPortOffset);
  sockaddr_storage where = sockaddr_of(address);
  set_port(where, address.port);
  std::memcpy(address.storage.data(), &where, sizeof where);
  try {
    control_socket = listen_on(address, settings.interface_index, kControlBufferBytes);
  } catch (const Error& error) {
    log_warning("no RTCP, so the sender gets no reports of losses here: {}", error.what());
  }
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
    headers[i].msg_hdr.msg_name = &sources[i];
    headers[i].msg_hdr.msg_namelen = sizeof(sockaddr_storage);
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
  message.came = {};
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
    } else if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_TIMESTAMPNS) {
      timespec time{};
      std::memcpy(&time, CMSG_DATA(control), sizeof time);
      message.came = WallTime(std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec));
    }
  }
}

UdpReceiver::UdpReceiver(const Settings& settings) : impl_(std::make_unique<Impl>()) { impl_->open(settings); }

UdpReceiver::~UdpReceiver() = default;

int UdpReceiver::wait_and_read(SteadyTime deadline) {
  for (;;) {
    const int count = impl_->read();
    if (count > 0) return count;
    // Errors of earlier sends cannot reach a socket that only receives; for any other error waiting is safe.
    std::array<pollfd, 4> waiting{{{impl_->socket.get(), POLLIN, 0},
                                   {impl_->wake_event.fd(), POLLIN, 0},
                                   {impl_->control_socket.get(), POLLIN, 0},
                                   {impl_->watched, POLLIN, 0}}};  // -1 is skipped
    const int ready = poll_until(waiting, deadline);
    if (waiting[1].revents & POLLIN) {
      impl_->wake_event.take();
      return std::max(impl_->read(), 0);
    }
    if (waiting[2].revents != 0) {
      impl_->control_waiting = true;
      return std::max(impl_->read(), 0);
    }
    if (waiting[3].revents != 0) return std::max(impl_->read(), 0);
    if (ready <= 0 && steady_now() >= deadline) return 0;
  }
}

void UdpReceiver::watch(int descriptor) { impl_->watched = descriptor; }

void UdpReceiver::wake() { impl_->wake_event.wake(); }

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
          std::max<size_t>(message.segment_bytes, 1), peer_address(impl_->sources[i]), message.came};
}

bool UdpReceiver::send_back(const PeerAddress& to, Bytes datagram) {
  return send_from(impl_->socket.get(), to, datagram);
}

bool UdpReceiver::control_waiting() const { return impl_->control_waiting; }

void UdpReceiver::read_control(const OnControl& sink) {
  impl_->control_waiting = false;
  std::array<std::byte, kMaxControlDatagram> memory;
  for (int i = 0; i < kMostControlAtOnce && impl_->control_socket.valid(); ++i) {
    sockaddr_storage from{};
    socklen_t length = sizeof from;
    const ssize_t bytes = ::recvfrom(impl_->control_socket.get(), memory.data(), memory.size(), MSG_DONTWAIT,
                                     reinterpret_cast<sockaddr*>(&from), &length);
    if (bytes < 0) return;
    sink(Bytes(memory).first(static_cast<size_t>(bytes)), peer_address(from));
  }
}

bool UdpReceiver::send_control_back(const PeerAddress& to, Bytes datagram) {
  return send_from(impl_->control_socket.get(), to, datagram);
}

}  // namespace texcast::transport
