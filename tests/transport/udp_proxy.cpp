// udp_proxy.cpp — a program for tests/tools/lossy-network: a bad network between two ports of loopback, in both
// directions, and between the ports after them (RTCP). Needs no privileges, unlike tc's netem.
//
//   udp_proxy LISTEN_PORT TO_PORT [loss=0.01] [burst=1] [reorder=0] [duplicate=0] [delay_ms=0] [seed=1]
//
// loss: share of packets; burst: how many in a row are lost at a time; reorder: share that arrives 1 ms late; delay: in
// each direction. Ends when nothing has arrived for 3 s after the first packet, and prints statistics.
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "texcast/frame_times.h"

using namespace texcast;

namespace {

struct Network {
  double loss = 0, reorder = 0, duplicate = 0;
  int burst = 1;
  nanoseconds delay{};
};

struct Held {
  SteadyTime due;
  uint64_t number;  // orders packets due at the same time
  int socket;
  sockaddr_in to;
  std::vector<char> bytes;
  bool operator<(const Held& other) const {  // the queue's top is the largest
    return due != other.due ? due > other.due : number > other.number;
  }
};

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

int open_socket(int port) {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  const int bytes = 32 << 20;
  if (::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
    ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  const sockaddr_in address = loopback(port);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fmt::print(stderr, "udp_proxy: port {} is in use\n", port);
    std::exit(1);
  }
  return fd;
}

// One port and the datagrams in both directions: `near` faces the sender, `far` the receiver.
struct Lane {
  int near, far;
  sockaddr_in sender{}, receiver;
};

class Proxy {
 public:
  Proxy(const Network& network, uint64_t seed) : network_(network), random_(seed) {}
  void take(int from, int out, const sockaddr_in& to, sockaddr_in* came_from) {
    std::array<char, 65536> memory;
    for (;;) {
      sockaddr_in source{};
      socklen_t length = sizeof source;
      const ssize_t bytes =
          ::recvfrom(from, memory.data(), memory.size(), 0, reinterpret_cast<sockaddr*>(&source), &length);
      if (bytes < 0) return;
      if (came_from != nullptr) *came_from = source;
      ++seen_;
      last_ = steady_now();
      if (lost()) {
        ++lost_;
        continue;
      }
      const bool late = chance(network_.reorder);
      const int copies = chance(network_.duplicate) ? 2 : 1;
      late_ += late;
      copies_ += static_cast<uint64_t>(copies - 1);
      for (int i = 0; i < copies; ++i)
        held_.push({last_ + network_.delay + (late ? nanoseconds(1'000'000) : nanoseconds(0)), number_++, out, to,
                    std::vector<char>(memory.begin(), memory.begin() + bytes)});
    }
  }
  // Sends what is due; returns the time of the next one.
  SteadyTime pass_on() {
    while (!held_.empty() && held_.top().due <= steady_now()) {
      const Held& one = held_.top();
      if (one.to.sin_port != 0)
        ::sendto(one.socket, one.bytes.data(), one.bytes.size(), 0, reinterpret_cast<const sockaddr*>(&one.to),
                 sizeof one.to);
      held_.pop();
    }
    return held_.empty() ? steady_now() + nanoseconds(100'000'000) : held_.top().due;
  }
  bool over() const { return seen_ > 0 && steady_now() - last_ > nanoseconds(3'000'000'000); }
  void report() const { fmt::print("{} packets, {} lost, {} late, {} twice\n", seen_, lost_, late_, copies_); }

 private:
  bool chance(double share) { return share > 0 && std::uniform_real_distribution<>(0, 1)(random_) < share; }
  bool lost() {
    if (burst_left_ == 0 && chance(network_.loss / network_.burst)) burst_left_ = network_.burst;
    return burst_left_ > 0 && burst_left_-- > 0;
  }
  const Network network_;
  std::mt19937_64 random_;
  std::priority_queue<Held> held_;
  int burst_left_ = 0;
  uint64_t seen_ = 0, lost_ = 0, late_ = 0, copies_ = 0, number_ = 0;
  SteadyTime last_{};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fmt::print(stderr, "udp_proxy LISTEN_PORT TO_PORT [loss=0.01] …\n"), 2;
  std::map<std::string, double> said;
  for (int i = 3; i < argc; ++i) {
    const std::string word = argv[i];
    said[word.substr(0, word.find('='))] = std::atof(word.substr(word.find('=') + 1).c_str());
  }
  const auto value = [&](const char* name, double otherwise) { return said.contains(name) ? said[name] : otherwise; };
  Proxy proxy({.loss = value("loss", 0),
               .reorder = value("reorder", 0),
               .duplicate = value("duplicate", 0),
               .burst = std::max(static_cast<int>(value("burst", 1)), 1),
               .delay = nanoseconds(static_cast<int64_t>(value("delay_ms", 0) * 1e6))},
              static_cast<uint64_t>(value("seed", 1)));
  const int listen = std::atoi(argv[1]), to = std::atoi(argv[2]);
  std::array<Lane, 2> lanes{Lane{open_socket(listen), open_socket(0), {}, loopback(to)},
                            Lane{open_socket(listen + 1), open_socket(0), {}, loopback(to + 1)}};
  while (!proxy.over()) {
    const nanoseconds left = std::max(proxy.pass_on() - steady_now(), nanoseconds(0));
    const timespec timeout{0, static_cast<long>(left.count() % 1'000'000'000)};
    std::array<pollfd, 4> waiting{
        {{lanes[0].near, POLLIN, 0}, {lanes[0].far, POLLIN, 0}, {lanes[1].near, POLLIN, 0}, {lanes[1].far, POLLIN, 0}}};
    ::ppoll(waiting.data(), waiting.size(), &timeout, nullptr);
    for (Lane& lane : lanes) {
      proxy.take(lane.near, lane.far, lane.receiver, &lane.sender);
      proxy.take(lane.far, lane.near, lane.sender, nullptr);
    }
  }
  proxy.report();
}
