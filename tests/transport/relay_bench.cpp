// By hand: relay_bench PROGRAM [RECEIVERS [LOSS_PERCENT [SECONDS [MBIT_PER_S]]]]
//
// Runs `PROGRAM relay` (texcast) with so many receivers on loopback, which this process simulates: each has a socket
// and a session, loses the given part of what arrives, and sends NACKs. The sender is in this process too: a coded
// stream of 60 frames per second without parity. Prints the relay's CPU time and memory, and what was repaired.
#include <arpa/inet.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "compact_support.h"
#include "transport/address.h"
#include "transport/retransmit_store.h"
#include "transport/udp_socket.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr uint16_t kIn = 41'000, kFirst = 42'000;
constexpr nanoseconds kFrameTime{16'666'667};

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

struct Receiver {
  explicit Receiver(uint16_t port, uint32_t seed)
      : socket(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)), random(seed) {
    const sockaddr_in address = loopback(port);
    const int bytes = 4 << 20;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      fmt::print(stderr, "port {} is in use\n", port);
      std::exit(1);
    }
  }
  Descriptor socket;
  std::minstd_rand random;
  sockaddr_in relay{};
  ReceiveSession session{{.request_lost = true}};
  uint64_t came = 0, dropped = 0, whole = 0, shown = 0;
};

class Crowd {
 public:
  Crowd(size_t receivers, double loss) : loss_(loss), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    for (size_t i = 0; i < receivers; ++i) {
      all_.push_back(std::make_unique<Receiver>(static_cast<uint16_t>(kFirst + 4 * i), static_cast<uint32_t>(i + 1)));
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, all_.back()->socket.get(), &event);
    }
  }
  void run(const std::stop_token& stop) {
    std::array<epoll_event, 64> ready{};
    while (!stop.stop_requested()) {
      const int count = ::epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), 2);
      for (int i = 0; i < count; ++i) read(*all_[ready[static_cast<size_t>(i)].data.u64]);
      const SteadyTime now = steady_now();
      for (auto& one : all_)
        if (const auto due = one->session.next_deadline(); due && *due <= now) look(*one);
    }
  }
  const std::vector<std::unique_ptr<Receiver>>& all() const { return all_; }

 private:
  void read(Receiver& one) {
    std::array<std::byte, 9216> memory;
    for (int i = 0; i < 64; ++i) {
      socklen_t length = sizeof one.relay;
      const ssize_t bytes = ::recvfrom(one.socket.get(), memory.data(), memory.size(), MSG_DONTWAIT,
                                       reinterpret_cast<sockaddr*>(&one.relay), &length);
      if (bytes < 0) break;
      ++one.came;
      if (std::uniform_real_distribution(0.0, 1.0)(one.random) < loss_) {
        ++one.dropped;
        continue;
      }
      one.session.on_datagram(Bytes(memory).first(static_cast<size_t>(bytes)), steady_now(), wall_now());
      look(one);
    }
  }
  void look(Receiver& one) {
    while (const auto frame = one.session.poll(steady_now(), wall_now())) {
      ++one.shown;
      one.whole += frame->payloads_missing == 0 ? 1 : 0;
    }
    while (const auto request = one.session.poll_feedback(steady_now()))
      ::sendto(one.socket.get(), request->data(), request->size(), MSG_DONTWAIT,
               reinterpret_cast<const sockaddr*>(&one.relay), sizeof one.relay);
  }

  const double loss_;
  Descriptor epoll_;
  std::vector<std::unique_ptr<Receiver>> all_;
};

pid_t start_relay(const std::string& program, size_t receivers) {
  std::vector<std::string> words{program, "relay", fmt::format("rtp://127.0.0.1:{}", kIn)};
  for (size_t i = 0; i < receivers; ++i) words.push_back(fmt::format("127.0.0.1:{}", kFirst + 4 * i));
  for (const char* option : {"--no-announce", "--no-audio", "--no-config", "--json"}) words.emplace_back(option);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::freopen("/dev/null", "w", stderr) == nullptr || ::freopen("/tmp/relay_bench.json", "w", stdout) == nullptr)
      ::_exit(126);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }
  return child;
}

struct Usage {
  double cpu_s = 0;
  double rss_mb = 0;
};
Usage usage_of(pid_t process) {
  std::ifstream stat(fmt::format("/proc/{}/stat", process));
  std::string word;
  Usage usage;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  for (int i = 1; stat >> word && i <= 24; ++i) {
    if (i == 14 || i == 15) usage.cpu_s += std::stod(word) / ticks;
    if (i == 24) usage.rss_mb = std::stod(word) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
  }
  return usage;
}

// Returns the packets sent.
uint64_t send_stream(double seconds, double mbit_per_s) {
  const std::vector<Address> to{resolve_address(fmt::format("rtp://127.0.0.1:{}", kIn), false)};
  UdpSender sender({.destinations = to});
  PacketizerSettings settings = compact_settings(std::random_device{}());
  settings.mtu = 1500;
  CompactPacketizer packetizer(settings, {.answers_requests = true});
  RetransmitStore store({.ssrc = settings.ssrc});
  const auto payloads_a_frame = static_cast<size_t>(std::max(1.0, mbit_per_s * 1e6 / 8 / 60 / 1390));
  uint64_t sent = 0;
  SteadyTime start = steady_now();
  const auto answer = [&](const Feedback& feedback) {
    sender.send_to(0, store.answer(0, feedback.datagram, steady_now()));
  };
  for (int i = 0; i < static_cast<int>(seconds * 60); ++i, start += kFrameTime) {
    Payloads payloads;
    for (size_t k = 0; k < payloads_a_frame; ++k)
      payloads.push_back(
          random_bytes(packetizer.max_payload(), static_cast<uint32_t>(i * 1000) + static_cast<uint32_t>(k)));
    packetizer.begin(pts_only(kFrameTime * i));
    const auto packets = packetizer.add(views_of(payloads), static_cast<uint32_t>(payloads.size()));
    store.begin_frame(packetizer.buffer_id(), steady_now());
    store.keep(packets);
    constexpr size_t kAtOnce = 8;
    for (size_t at = 0; at < packets.size(); at += kAtOnce) {
      sender.wait(start + kFrameTime * 3 / 4 * static_cast<int>(at) / static_cast<int>(packets.size()), answer);
      sender.send(packets.subspan(at, std::min(kAtOnce, packets.size() - at)));
    }
    sent += packets.size();
  }
  return sent;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "relay_bench PROGRAM [RECEIVERS [LOSS_PERCENT [SECONDS [MBIT_PER_S]]]]\n");
    return 2;
  }
  const auto number = [&](int i, double usual) { return argc > i ? std::atof(argv[i]) : usual; };
  const auto receivers = static_cast<size_t>(number(2, 200));
  const double loss = number(3, 1) / 100, seconds = number(4, 5), rate = number(5, 8);
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  Crowd crowd(receivers, loss);
  const pid_t relay = start_relay(argv[1], receivers);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  Usage before;
  double took = 0;
  uint64_t sent = 0;
  {
    std::jthread receiving([&](const std::stop_token& stop) { crowd.run(stop); });
    before = usage_of(relay);
    const SteadyTime begun = steady_now();
    sent = send_stream(seconds, rate);
    took = in_seconds(steady_now() - begun);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  const Usage after = usage_of(relay);
  ::kill(relay, SIGTERM);
  ::waitpid(relay, nullptr, 0);
  uint64_t came = 0, dropped = 0, whole = 0, shown = 0, repaired = 0;
  for (const auto& one : crowd.all()) {
    came += one->came;
    dropped += one->dropped;
    whole += one->whole;
    shown += one->shown;
    repaired += one->session.counters().recovered_retransmission;
  }
  fmt::print("{} receivers, {:.0f} % lost, {:.1f} Mbit/s each: {} packets in, {:.0f} packets/s out\n", receivers,
             loss * 100, rate, sent, static_cast<double>(came) / took);
  fmt::print("relay: {:.2f} CPU s/s, {:.0f} MB\n", (after.cpu_s - before.cpu_s) / took, after.rss_mb);
  fmt::print("receivers: {} of {} packets lost, {} repaired by the relay, {} of {} frames whole\n", dropped, came,
             repaired, whole, shown);
  return 0;
}
