// Cost of viewers: web_bench VIEWERS MBIT_PER_S [SECONDS [PORT]]. A server and a stream of 30 frames a second with
// datagrams of 1200 bytes; the viewers are another process of this program. Prints the server's processor time, its
// memory and the datagrams that were lost. With a PORT it only serves, for viewers that are elsewhere.
#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "transport/web_server.h"
#include "web_client.h"

using namespace texcast;
using namespace texcast::test;

namespace {

constexpr int kFps = 30;
constexpr size_t kDatagramBytes = 1200;

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long resident_kib() {
  std::ifstream file("/proc/self/statm");
  long pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE) / 1024;
}

// Reads and discards until the server ends.
[[noreturn]] void run_viewers(uint16_t port, int count) {
  std::vector<WebClient> clients;
  std::vector<pollfd> waiting;
  for (int i = 0; i < count; ++i) {
    clients.emplace_back(port);
    if (clients.back().upgrade().status != 101) _exit(1);
    clients.back().send_text(R"({"type":"hello","takes":["s3tc"]})");
    waiting.push_back({.fd = clients.back().fd(), .events = POLLIN, .revents = 0});
  }
  std::vector<char> bytes(1 << 18);
  while (poll(waiting.data(), waiting.size(), -1) > 0)
    for (pollfd& one : waiting)
      if (one.revents != 0 && recv(one.fd, bytes.data(), bytes.size(), 0) <= 0) one.fd = -1;
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: web_bench VIEWERS MBIT_PER_S [SECONDS [PORT]]\n");
    return 2;
  }
  const int count = std::atoi(argv[1]);
  const double mbit = std::atof(argv[2]);
  const int seconds = argc > 3 ? std::atoi(argv[3]) : 5;
  const auto port = static_cast<uint16_t>(argc > 4 ? std::atoi(argv[4]) : 0);
  web::Server server({.address = port == 0 ? "127.0.0.1" : "", .port = port, .most_viewers = std::max(count, 64)});
  const auto stream = server.add({.name = "bc1", .families = {"s3tc"}, .format = "bc1"});
  const long before = resident_kib();
  const pid_t viewers = port == 0 ? fork() : -1;
  if (viewers == 0) run_viewers(server.port(), count);
  while (stream->viewers() < static_cast<size_t>(count)) std::this_thread::sleep_for(std::chrono::milliseconds(10));

  const std::vector<std::byte> payload(kDatagramBytes, std::byte{'x'});
  const auto per_frame = static_cast<size_t>(std::max(1.0, mbit * 1e6 / 8 / kFps / kDatagramBytes));
  std::vector packets(per_frame, transport::OutgoingPacket{.header = {}, .payload = payload});
  const double start = processor_seconds();
  const auto begin = std::chrono::steady_clock::now();
  size_t most_queued = 0;
  for (int frame = 0; frame < seconds * kFps; ++frame) {
    std::this_thread::sleep_until(begin + frame * std::chrono::nanoseconds(std::chrono::seconds(1)) / kFps);
    const int64_t now = steady_now().time_since_epoch().count();  // the first datagram of a frame begins with its time
    packets.front().header = std::as_bytes(std::span(&now, 1));
    stream->send(web::Channel::picture, packets);
    if (frame % kFps == 0)
      for (const web::ViewerStatus& one : server.viewers()) {
        most_queued = std::max(most_queued, one.queued_bytes);
        if (port != 0)
          fmt::print("{} s: {} sent {} dropped {} queued {}\n", frame / kFps, one.address, one.sent_datagrams,
                     one.dropped_datagrams, one.queued_bytes);
      }
  }
  const double spent = processor_seconds() - start;
  uint64_t dropped = 0, sent = 0;
  for (const web::ViewerStatus& one : server.viewers()) {
    dropped += one.dropped_datagrams;
    sent += one.sent_datagrams;
  }
  fmt::print(
      "{} viewers (at the end {}), {} Mbit/s each: {:.2f} % of a processor per viewer, {:.0f} % in all; {} KiB more "
      "memory; "
      "{} datagrams sent, {} dropped; at most {} bytes queued\n",
      count, stream->viewers(), mbit, 100 * spent / seconds / count, 100 * spent / seconds, resident_kib() - before,
      sent, dropped, most_queued);
  if (viewers > 0) kill(viewers, SIGKILL), waitpid(viewers, nullptr, 0);
  return 0;
}
