// relay.h — forwards datagrams between the genuine sender and the receiving program, in both directions: video, its
// RTCP, sound, and the RTCP of the sound. The program sees the relay's address as the sender's, so packets can be
// forged from that same address.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "transport/address.h"

namespace texcast::attack {

enum class Lane { picture, picture_control, sound, sound_control };
inline constexpr size_t kLanes = 4;

class Relay {
 public:
  // Called on the relay's thread with each datagram of the sender, before it is forwarded.
  using OnPassing = std::function<void(Lane lane, Bytes datagram)>;
  // The relay listens on `port` and the three ports after it; the program listens on `to` and the three after that.
  // Throws Error{network} if a port is taken.
  Relay(uint16_t port, uint16_t to, OnPassing on_passing);
  ~Relay();

  uint16_t port() const { return port_; }
  uint16_t to() const { return to_; }
  // The port that the genuine sender sends from; 0 until its first packet arrives.
  uint16_t sender_port(Lane lane) const { return lanes_[static_cast<size_t>(lane)].sender; }
  // Bytes that the sender has sent so far.
  uint64_t bytes(Lane lane) const { return lanes_[static_cast<size_t>(lane)].bytes; }
  // Sends a datagram from the sender's address to the program, or from the program's address to the sender.
  // Thread-safe.
  void send_as_sender(Lane lane, Bytes datagram) const;
  void send_as_program(Lane lane, Bytes datagram) const;

 private:
  struct OneLane {
    Descriptor near, far;  // near faces the sender, far the program
    std::atomic<uint16_t> sender = 0;
    std::atomic<uint64_t> bytes = 0;
  };
  void run();
  void pass_on(Lane lane);
  void pass_back(Lane lane);

  const uint16_t port_, to_;
  const OnPassing on_passing_;
  const transport::Address loopback_;
  std::array<OneLane, kLanes> lanes_;
  std::array<std::byte, 65536> memory_{};
  std::atomic<bool> stop_ = false;
  std::thread thread_;  // last: it uses the above
};

// `host` is "127.0.0.2" or "::1". Throws Error{usage} or Error{network}.
transport::Address address_of(const std::string& host, uint16_t port = 0);
// A socket bound to an address of this machine; port 0 means any port. Throws Error{network}.
Descriptor socket_at(const transport::Address& address);
// Never waits: a full socket drops the datagram.
void send(const Descriptor& socket, const transport::Address& to, Bytes datagram);

}  // namespace texcast::attack
