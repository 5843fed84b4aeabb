// relay.h — the way between the genuine sender and the program that receives: the ports of the picture, of its RTCP, of
// the sound and of its RTCP, both ways. To the program the relay is the sender, so packets can be forged under the
// sender's own address.
#pragma once

#include <netinet/in.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "base/bytes.h"
#include "base/descriptor.h"

namespace texcast::attack {

enum class Lane { picture, picture_control, sound, sound_control };
inline constexpr size_t kLanes = 4;

class Relay {
 public:
  // Given each datagram of the sender before it goes on; on the relay's thread.
  using OnPassing = std::function<void(Lane lane, Bytes datagram)>;
  // Listens at port() and the three after it; the program does at `to` and the three after that.
  Relay(uint16_t port, uint16_t to, OnPassing on_passing);
  ~Relay();

  uint16_t port() const { return port_; }
  uint16_t to() const { return to_; }
  // That the genuine sender sends from; 0: nothing came yet.
  uint16_t sender_port(Lane lane) const { return lanes_[static_cast<size_t>(lane)].sender; }
  // What the sender has sent so far.
  uint64_t bytes(Lane lane) const { return lanes_[static_cast<size_t>(lane)].bytes; }
  // As if it came from the sender, or from the program. From any thread.
  void say_as_sender(Lane lane, Bytes datagram) const;
  void say_as_program(Lane lane, Bytes datagram) const;

 private:
  struct OneLane {
    Descriptor near, far;  // they face the sender and the program
    std::atomic<uint16_t> sender = 0;
    std::atomic<uint64_t> bytes = 0;
  };
  void run();
  void pass_on(Lane lane);
  void pass_back(Lane lane);

  const uint16_t port_, to_;
  const OnPassing on_passing_;
  std::array<OneLane, kLanes> lanes_;
  std::array<std::byte, 65536> memory_{};
  std::atomic<bool> stop_ = false;
  std::thread thread_;  // last: it uses the above
};

// A socket bound to that address of this machine, at any port or at that one. Ends the process where it cannot be.
Descriptor socket_at(const std::string& address, uint16_t port = 0);
// To a port of loopback, over the IP version of `address`.
void say(const Descriptor& socket, const std::string& address, uint16_t port, Bytes datagram);

}  // namespace texcast::attack
