// relay_crowd.h — many receivers of one stream on loopback, for relay_bench: in a few processes, each with a socket and
// a session per receiver, which loses part of what arrives and sends NACKs.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "base/descriptor.h"
#include "transport/receive_session.h"

namespace texcast::transport::test {

struct CrowdSettings {
  size_t receivers = 200;
  double loss = 0.01;  // part of the datagrams of each receiver that are dropped on arrival
  uint16_t first_port = 22'000;
  std::shared_ptr<const WireKeys> keys{};
};

// Sums over receivers, but for the two gaps: the longest time in which the receiver had no whole frame.
struct CrowdCounts {
  uint64_t came = 0, dropped = 0, shown = 0, whole = 0, repaired = 0, restored = 0;
  double worst_gap_s = 0, sum_gap_s = 0;
  double cpu_s = 0;
  void add(const CrowdCounts& other) {
    came += other.came, dropped += other.dropped, shown += other.shown, whole += other.whole;
    repaired += other.repaired, restored += other.restored, cpu_s += other.cpu_s;
    worst_gap_s = std::max(worst_gap_s, other.worst_gap_s), sum_gap_s += other.sum_gap_s;
  }
};

// The receivers of one process.
class Crowd {
 public:
  Crowd(const CrowdSettings& settings, size_t first, size_t end)
      : loss_(settings.loss), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    for (size_t i = first; i < end; ++i) {
      all_.push_back(std::make_unique<Receiver>(settings, i));
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i - first}};
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, all_.back()->socket.get(), &event);
    }
  }
  // Returns when the other end of the pipe is closed.
  CrowdCounts run(int until_closed) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = all_.size()}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, until_closed, &event);
    std::array<epoll_event, 64> ready{};
    for (SteadyTime looked{};;) {
      const int count = ::epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), 1);
      for (int i = 0; i < count; ++i) {
        if (ready[static_cast<size_t>(i)].data.u64 == all_.size()) return counts();
        read(*all_[ready[static_cast<size_t>(i)].data.u64]);
      }
      const SteadyTime now = steady_now();
      if (now - looked < std::chrono::milliseconds(1)) continue;
      looked = now;
      for (auto& one : all_)
        if (const auto due = one->session.next_deadline(); due && *due <= now) look(*one, now);
    }
  }

 private:
  static constexpr size_t kAtOnce = 32, kLongest = 2048;
  struct Receiver {
    Receiver(const CrowdSettings& settings, size_t number)
        : socket(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
          random(static_cast<uint32_t>(number + 1)),
          session({.request_lost = true, .keys = settings.keys, .max_age = {}}) {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(static_cast<uint16_t>(settings.first_port + 4 * number));
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      const int bytes = 4 << 20;
      ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
      if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
      fmt::print(stderr, "port {} is in use\n", ntohs(address.sin_port));
      std::exit(1);
    }
    Descriptor socket;
    std::minstd_rand random;
    sockaddr_in relay{};
    ReceiveSession session;
    CrowdCounts counts{};
    SteadyTime last_whole{};
  };

  void read(Receiver& one) {
    std::array<mmsghdr, kAtOnce> messages{};
    std::array<iovec, kAtOnce> places{};
    for (size_t i = 0; i < kAtOnce; ++i) {
      places[i] = {.iov_base = memory_[i].data(), .iov_len = kLongest};
      messages[i].msg_hdr.msg_iov = &places[i];
      messages[i].msg_hdr.msg_iovlen = 1;
    }
    messages[0].msg_hdr.msg_name = &one.relay;
    messages[0].msg_hdr.msg_namelen = sizeof one.relay;
    const int came = ::recvmmsg(one.socket.get(), messages.data(), kAtOnce, MSG_DONTWAIT, nullptr);
    if (came <= 0) return;
    const SteadyTime now = steady_now();
    for (int i = 0; i < came; ++i) {
      ++one.counts.came;
      if (std::uniform_real_distribution(0.0, 1.0)(one.random) < loss_)
        ++one.counts.dropped;
      else
        one.session.on_datagram(Bytes(memory_[static_cast<size_t>(i)]).first(messages[static_cast<size_t>(i)].msg_len),
                                now, wall_now());
    }
    look(one, now);
  }
  static void look(Receiver& one, SteadyTime now) {
    while (const auto frame = one.session.poll(now, wall_now())) {
      ++one.counts.shown;
      if (frame->payloads_missing != 0) continue;
      ++one.counts.whole;
      if (one.last_whole != SteadyTime{})
        one.counts.worst_gap_s = std::max(one.counts.worst_gap_s, in_seconds(now - one.last_whole));
      one.last_whole = now;
    }
    while (const auto request = one.session.poll_feedback(now))
      ::sendto(one.socket.get(), request->data(), request->size(), MSG_DONTWAIT,
               reinterpret_cast<const sockaddr*>(&one.relay), sizeof one.relay);
  }
  CrowdCounts counts() const {
    CrowdCounts sum;
    for (const auto& one : all_) {
      CrowdCounts counts = one->counts;
      counts.repaired = one->session.counters().recovered_retransmission;
      counts.restored = one->session.counters().recovered_parity;
      counts.sum_gap_s = counts.worst_gap_s;
      sum.add(counts);
    }
    sum.cpu_s = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return sum;
  }

  const double loss_;
  Descriptor epoll_;
  std::vector<std::unique_ptr<Receiver>> all_;
  std::array<std::array<std::byte, kLongest>, kAtOnce> memory_;
};

// Processes with a part of the receivers each. Begin them before there are threads.
class CrowdProcesses {
 public:
  CrowdProcesses(const CrowdSettings& settings, size_t processes) {
    for (size_t i = 0; i < processes; ++i)
      begin(settings, settings.receivers * i / processes, settings.receivers * (i + 1) / processes);
  }
  CrowdCounts finish() {
    CrowdCounts sum;
    for (Process& one : all_) one.go_on.close();
    for (Process& one : all_) {
      CrowdCounts counts;
      if (::read(one.result.get(), &counts, sizeof counts) != sizeof counts) {
        fmt::print(stderr, "a process of receivers has died: there are no figures\n");
        std::exit(1);
      }
      ::waitpid(one.child, nullptr, 0);
      sum.add(counts);
    }
    return sum;
  }

 private:
  struct Process {
    pid_t child;
    Descriptor go_on, result;  // closing the first ends the process, the second brings its counts
  };
  void begin(const CrowdSettings& settings, size_t first, size_t end) {
    int go_on[2], result[2];
    if (::pipe2(go_on, O_CLOEXEC) != 0 || ::pipe2(result, O_CLOEXEC) != 0) std::exit(1);
    const pid_t child = ::fork();
    if (child == 0) {
      for (Process& other : all_) other.go_on.close();
      ::close(go_on[1]);
      const auto crowd = std::make_unique<Crowd>(settings, first, end);
      const CrowdCounts counts = crowd->run(go_on[0]);
      ::_exit(::write(result[1], &counts, sizeof counts) == sizeof counts ? 0 : 1);
    }
    ::close(go_on[0]);
    ::close(result[1]);
    all_.push_back({.child = child, .go_on = Descriptor(go_on[1]), .result = Descriptor(result[0])});
  }
  std::vector<Process> all_;
};

}  // namespace texcast::transport::test
