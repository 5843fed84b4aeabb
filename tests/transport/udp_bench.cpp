// udp_bench.cpp — a program: what UDP_SEGMENT and UDP_GRO are worth on this machine. 1920x1080 BC1 frames from one
// thread to a ReceiveSession in another over loopback, the next frame when the one before has been given out (so
// nothing is lost and nothing waits), for SECONDS a row.
//
//   udp_bench [SECONDS] [PORT]
#include <fmt/core.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <optional>
#include <thread>

#include "base/latency.h"
#include "support.h"
#include "transport/udp_socket.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void run(bool segmentation, bool gro, nanoseconds duration, uint16_t port) {
  UdpReceiver receiver({.address = resolve_address("rtp://127.0.0.1:" + std::to_string(port), true), .allow_gro = gro});
  std::atomic<uint64_t> frames_out{0};
  std::atomic<bool> stop{false};
  LatencyWindow latency;  // first packet handed over to frame given out; the receiving thread's
  ReceiveCounters counters;
  std::thread receiving([&] {
    ReceiveSession session;
    const auto collect = [&] {
      while (const auto frame = session.poll(steady_now(), wall_now())) {
        latency.add(wall_now() - frame->times.sent);
        ++frames_out;
        frames_out.notify_one();
      }
    };
    while (!stop) {
      receiver.receive(session.next_deadline().value_or(steady_now() + 100ms), [&](Bytes datagram) {
        session.on_datagram(datagram, steady_now(), wall_now());
        collect();
      });
      collect();
    }
    counters = session.counters();
  });

  const std::vector<Address> to = {resolve_address("rtp://127.0.0.1:" + std::to_string(receiver.port()), false)};
  UdpSender sender({.destinations = to, .allow_segmentation = segmentation});
  PacketizerSettings settings = small_settings();
  settings.mtu = 1500;
  settings.stream.width = 1920;
  settings.stream.height = 1080;
  PlainPacketizer packetizer(settings);
  const auto frame = random_bytes(1920 * 1080 / 2, 1);
  const double cpu_begin = cpu_seconds();
  const SteadyTime begin = steady_now();
  uint64_t frames = 0;
  while (steady_now() - begin < duration) {
    FrameTimes times = pts_only(steady_now() - begin);
    times.available = times.encoded = times.sent = wall_now();
    sender.send(packetizer.packetize(frame, times));
    ++frames;
    // A lost packet shows as a frame out of order by its deadline, so this always ends.
    for (uint64_t out = frames_out; out < frames; out = frames_out) frames_out.wait(out);
  }
  const double seconds = static_cast<double>((steady_now() - begin).count()) * 1e-9;
  const double cpu = cpu_seconds() - cpu_begin;
  stop = true;
  receiver.wake();
  receiving.join();
  const auto& sent = sender.counters();
  fmt::print(
      "UDP_SEGMENT {:<3} UDP_GRO {:<3}  {:7.1f} frames/s  {:5.2f} M packets/s  {:6.2f} Gbit/s  CPU {:6.2f} ms a frame  "
      "sent to given out "
      "p50 {:.2f} ms p95 {:.2f} ms  lost {}\n",
      segmentation ? "on" : "off", gro ? "on" : "off", static_cast<double>(frames) / seconds,
      static_cast<double>(sent.packets) / seconds / 1e6, static_cast<double>(sent.bytes) * 8 / seconds / 1e9,
      cpu * 1e3 / static_cast<double>(frames), latency.milliseconds(0.5), latency.milliseconds(0.95), counters.lost);
}

}  // namespace

int main(int argc, char** argv) {
  const auto duration =
      std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(argc > 1 ? std::atof(argv[1]) : 2.0));
  const auto port = static_cast<uint16_t>(argc > 2 ? std::atoi(argv[2]) : 0);
  for (const bool segmentation : {true, false})
    for (const bool gro : {true, false}) run(segmentation, gro, duration, port);
}
