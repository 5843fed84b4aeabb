// lossy_relay.h — passes the pictures and the sound of a stream on over loopback, and drops a part of the sound.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

namespace texcast::test {

class LossyRelay {
 public:
  // `to`: the port of the pictures at the receiver. Every `one_in`th datagram of the sound is dropped.
  LossyRelay(uint16_t to, int one_in) : to_(to), one_in_(one_in) {
    for (int tries = 0; tries < 100; ++tries) {
      pictures_ = bound(0);
      sound_ = bound(static_cast<uint16_t>(port() + 2));
      if (sound_ >= 0) break;
      ::close(pictures_);
    }
    if (sound_ < 0) throw std::runtime_error("no two ports are free");
    thread_ = std::thread([this] { run(); });
  }
  ~LossyRelay() {
    stop_ = true;
    thread_.join();
    ::close(pictures_);
    ::close(sound_);
  }
  LossyRelay(const LossyRelay&) = delete;
  LossyRelay& operator=(const LossyRelay&) = delete;

  std::string url() const { return "rtp://127.0.0.1:" + std::to_string(port()); }
  int dropped() const { return dropped_; }

 private:
  static sockaddr_in at(uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  static int bound(uint16_t port) {
    const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
    const sockaddr_in address = at(port);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
    ::close(socket);
    return -1;
  }
  uint16_t port() const {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    ::getsockname(pictures_, reinterpret_cast<sockaddr*>(&address), &length);
    return ntohs(address.sin_port);
  }
  void pass_on(int socket, uint16_t port, bool is_sound) {
    const ssize_t bytes = ::recv(socket, datagram_.data(), datagram_.size(), 0);
    if (bytes <= 0) return;
    if (is_sound && ++sounds_ % one_in_ == 0) {
      ++dropped_;
      return;
    }
    const sockaddr_in address = at(port);
    ::sendto(socket, datagram_.data(), static_cast<size_t>(bytes), 0, reinterpret_cast<const sockaddr*>(&address),
             sizeof address);
  }
  void run() {
    std::array<pollfd, 2> waits{pollfd{pictures_, POLLIN, 0}, pollfd{sound_, POLLIN, 0}};
    while (!stop_) {
      ::poll(waits.data(), waits.size(), 20);
      if ((waits[0].revents & POLLIN) != 0) pass_on(pictures_, to_, false);
      if ((waits[1].revents & POLLIN) != 0) pass_on(sound_, static_cast<uint16_t>(to_ + 2), true);
    }
  }

  const uint16_t to_;
  const int one_in_;
  int pictures_ = -1, sound_ = -1;
  int sounds_ = 0;
  std::atomic<int> dropped_ = 0;
  std::atomic<bool> stop_ = false;
  std::array<char, 65536> datagram_{};
  std::thread thread_;
};

}  // namespace texcast::test
