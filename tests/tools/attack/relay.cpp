#include "relay.h"

#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <utility>

#include "texcast/error.h"

namespace texcast::attack {
namespace {

uint16_t with_lane(uint16_t port, size_t lane) { return static_cast<uint16_t>(port + lane); }

const sockaddr* socket_address(const transport::Address& address) {
  return reinterpret_cast<const sockaddr*>(address.storage.data());
}

}  // namespace

transport::Address address_of(const std::string& host, uint16_t port) {
  const std::string in_url = host.find(':') != std::string::npos ? "[" + host + "]" : host;
  return transport::resolve_address(fmt::format("rtp://{}:{}", in_url, port), true);
}

Descriptor socket_at(const transport::Address& address) {
  Descriptor socket(::socket(address.ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int bytes = 32 << 20;
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  if (::bind(socket.get(), socket_address(address), address.length) != 0)
    throw Error(ErrorKind::network, fmt::format("cannot send from {}", address.text));
  return socket;
}

void send(const Descriptor& socket, const transport::Address& to, Bytes datagram) {
  ::sendto(socket.get(), datagram.data(), datagram.size(), MSG_DONTWAIT, socket_address(to), to.length);
}

Relay::Relay(uint16_t port, uint16_t to, OnPassing on_passing)
    : port_(port), to_(to), on_passing_(std::move(on_passing)), loopback_(address_of("127.0.0.1")) {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    lanes_[lane].near = socket_at(at_port(loopback_, with_lane(port, lane)));
    lanes_[lane].far = socket_at(loopback_);
  }
  thread_ = std::thread([this] { run(); });
}

Relay::~Relay() {
  stop_ = true;
  thread_.join();
}

void Relay::run() {
  std::array<pollfd, 2 * kLanes> polled{};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    polled[2 * lane] = {.fd = lanes_[lane].near.get(), .events = POLLIN, .revents = 0};
    polled[2 * lane + 1] = {.fd = lanes_[lane].far.get(), .events = POLLIN, .revents = 0};
  }
  while (!stop_) {
    ::poll(polled.data(), polled.size(), 50);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      pass_on(static_cast<Lane>(lane));
      pass_back(static_cast<Lane>(lane));
    }
  }
}

void Relay::pass_on(Lane lane) {
  OneLane& one = lanes_[static_cast<size_t>(lane)];
  for (;;) {
    sockaddr_in from{};
    socklen_t length = sizeof from;
    const ssize_t bytes =
        ::recvfrom(one.near.get(), memory_.data(), memory_.size(), 0, reinterpret_cast<sockaddr*>(&from), &length);
    if (bytes < 0) return;
    one.sender = ntohs(from.sin_port);
    one.bytes += static_cast<uint64_t>(bytes);
    const Bytes datagram = Bytes(memory_).first(static_cast<size_t>(bytes));
    if (on_passing_) on_passing_(lane, datagram);
    send_as_sender(lane, datagram);
  }
}

void Relay::pass_back(Lane lane) {
  const OneLane& one = lanes_[static_cast<size_t>(lane)];
  for (ssize_t bytes = 0; (bytes = ::recv(one.far.get(), memory_.data(), memory_.size(), 0)) >= 0;)
    send_as_program(lane, Bytes(memory_).first(static_cast<size_t>(bytes)));
}

void Relay::send_as_sender(Lane lane, Bytes datagram) const {
  const auto index = static_cast<size_t>(lane);
  send(lanes_[index].far, at_port(loopback_, with_lane(to_, index)), datagram);
}

void Relay::send_as_program(Lane lane, Bytes datagram) const {
  const OneLane& one = lanes_[static_cast<size_t>(lane)];
  if (one.sender != 0) send(one.near, at_port(loopback_, one.sender), datagram);
}

}  // namespace texcast::attack
