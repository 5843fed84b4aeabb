#include "relay.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstdlib>
#include <string>

namespace texcast::attack {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

bool is_ipv6(const std::string& address) { return address.find(':') != std::string::npos; }

uint16_t with_lane(uint16_t port, size_t lane) { return static_cast<uint16_t>(port + lane); }

}  // namespace

Descriptor socket_at(const std::string& address, uint16_t port) {
  const bool six = is_ipv6(address);
  Descriptor socket(::socket(six ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int bytes = 32 << 20;
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  const bool known = six ? ::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1
                         : ::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1;
  const int bound = six ? ::bind(socket.get(), reinterpret_cast<sockaddr*>(&v6), sizeof v6)
                        : ::bind(socket.get(), reinterpret_cast<sockaddr*>(&v4), sizeof v4);
  if (!known || bound != 0) {
    fmt::print(stderr, "attack: cannot send from {}, port {}\n", address, port);
    std::exit(2);
  }
  return socket;
}

void say(const Descriptor& socket, const std::string& address, uint16_t port, Bytes datagram) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  v6.sin6_addr = in6addr_loopback;
  const bool six = is_ipv6(address);
  ::sendto(socket.get(), datagram.data(), datagram.size(), MSG_DONTWAIT,
           six ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4), six ? sizeof v6 : sizeof v4);
}

Relay::Relay(uint16_t port, uint16_t to, OnPassing on_passing)
    : port_(port), to_(to), on_passing_(std::move(on_passing)) {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    lanes_[lane].near = socket_at(kLoopback, with_lane(port, lane));
    lanes_[lane].far = socket_at(kLoopback);
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
    say_as_sender(lane, datagram);
  }
}

void Relay::pass_back(Lane lane) {
  const OneLane& one = lanes_[static_cast<size_t>(lane)];
  for (ssize_t bytes = 0; (bytes = ::recv(one.far.get(), memory_.data(), memory_.size(), 0)) >= 0;)
    say_as_program(lane, Bytes(memory_).first(static_cast<size_t>(bytes)));
}

void Relay::say_as_sender(Lane lane, Bytes datagram) const {
  const auto index = static_cast<size_t>(lane);
  say(lanes_[index].far, kLoopback, with_lane(to_, index), datagram);
}

void Relay::say_as_program(Lane lane, Bytes datagram) const {
  const OneLane& one = lanes_[static_cast<size_t>(lane)];
  if (one.sender != 0) say(one.near, kLoopback, one.sender, datagram);
}

}  // namespace texcast::attack
