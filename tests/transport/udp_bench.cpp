// udp_bench.cpp — a program, run by hand: cost and speed of sending and receiving, 1920x1080 BC1 over loopback.
//
//   udp_bench cost [SECONDS]      CPU time per packet of sender and receiver, compared with plain sendto() and
//   recvfrom() udp_bench stream [SECONDS]    60 frames a second, paced: share of a core of each thread, latency
//   udp_bench rate [SECONDS]      the highest rate at which no packet is lost
//   udp_bench batching [SECONDS]  the gain by UDP_SEGMENT and UDP_GRO
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/latency.h"
#include "support.h"
#include "transport/pacer.h"
#include "transport/udp_socket.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr size_t kFrameBytes = 1920 * 1080 / 2;
constexpr double kFps = 60;

nanoseconds seconds(double s) { return nanoseconds(static_cast<int64_t>(s * 1e9)); }
double as_seconds(nanoseconds time) { return static_cast<double>(time.count()) * 1e-9; }

double thread_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  const auto s = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return s(usage.ru_utime) + s(usage.ru_stime);
}

struct Mode {
  const char* name;
  WireChoice wire;
};

std::vector<Mode> modes() {
  const auto keys = WireKeys::of({std::byte{1}}, {std::byte{2}});
  return {{"plain", {.fec = {.kind = FecKind::none}}},
          {"own, no parity", {.fec = {.kind = FecKind::parity, .percent = 0}}},
          {"own, 10 % parity", {.fec = {.kind = FecKind::parity, .percent = 10}}},
          {"plain, sealed", {.fec = {.kind = FecKind::none}, .crypto = CryptoChoice::texcast, .keys = keys}},
          {"10 %, sealed",
           {.fec = {.kind = FecKind::parity, .percent = 10}, .crypto = CryptoChoice::texcast, .keys = keys}}};
}

PacketizerSettings full_hd() {
  PacketizerSettings settings = small_settings();
  settings.mtu = 1500;
  settings.stream.width = 1920;
  settings.stream.height = 1080;
  settings.stream.fps = kFps;
  return settings;
}

// A socket and optionally a session behind it, on a thread of their own.
class ReceivingEnd {
 public:
  ReceivingEnd(bool gro, bool assemble, std::shared_ptr<const WireKeys> keys = {})
      : receiver_({.address = resolve_address("rtp://127.0.0.1:0", true), .allow_gro = gro}),
        thread_([this, assemble, keys] { run(assemble, keys); }) {}
  ~ReceivingEnd() { stop(); }
  void stop() {
    stopping_ = true;
    receiver_.wake();
    if (thread_.joinable()) thread_.join();
  }
  std::vector<Address> address() const {
    return {resolve_address("rtp://127.0.0.1:" + std::to_string(receiver_.port()), false)};
  }
  void wait_for_frames(uint64_t count) const {
    for (uint64_t now = frames; now < count; now = frames) frames.wait(now);
  }
  void wait_for_packets(uint64_t count) const {
    for (uint64_t now = packets; now < count; now = packets) packets.wait(now);
  }
  std::atomic<uint64_t> frames{0}, packets{0};
  // After stop():
  LatencyWindow latency;  // from the packetizer's call to the frame's delivery
  ReceiveCounters counters;
  double cpu_seconds = 0;
  uint64_t kernel_drops = 0;

 private:
  void run(bool assemble, const std::shared_ptr<const WireKeys>& keys) {
    ReceiveSession session({.keys = keys, .max_age = nanoseconds{}});
    const auto collect = [&](SteadyTime now) {
      while (const auto frame = session.poll(now, wall_now())) {
        latency.add(wall_now() - frame->times.sent);
        ++frames;
        frames.notify_one();
      }
    };
    while (!stopping_) {
      SteadyTime now{};
      const int count = receiver_.receive(session.next_deadline().value_or(steady_now() + 100ms), [&](Bytes datagram) {
        if (!assemble) return;
        if (now == SteadyTime{}) now = steady_now();
        session.on_datagram(datagram, now, WallTime(nanoseconds(1)));
        collect(now);
      });
      if (assemble) collect(steady_now());
      packets += static_cast<uint64_t>(count);
      packets.notify_one();
    }
    counters = session.counters();
    kernel_drops = receiver_.dropped_by_kernel();
    cpu_seconds = thread_cpu_seconds();
  }
  UdpReceiver receiver_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

FrameTimes times_at(nanoseconds pts) {
  FrameTimes times = pts_only(pts);
  times.available = times.encoded = times.sent = wall_now();
  return times;
}

// ---- cost ----

void print_cost(const char* name, uint64_t packets, double send_cpu, double receive_cpu) {
  const auto ns = [&](double cpu) { return cpu * 1e9 / static_cast<double>(packets); };
  fmt::print("{:<34} send {:6.0f} ns a packet, receive {:6.0f} ns a packet\n", name, ns(send_cpu), ns(receive_cpu));
}

// One call per packet without further work; a frame's worth at a time, so that nothing is lost.
void cost_of_plain_calls(nanoseconds duration) {
  const int in = ::socket(AF_INET, SOCK_DGRAM, 0), out = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int buffer = 32 << 20;
  ::setsockopt(in, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer);
  socklen_t length = sizeof address;
  ::bind(in, reinterpret_cast<sockaddr*>(&address), length);
  ::getsockname(in, reinterpret_cast<sockaddr*>(&address), &length);
  constexpr uint64_t kBatch = 100;  // small enough for any buffer
  std::atomic<uint64_t> received{0};
  double receive_cpu = 0;
  std::thread receiving([&] {
    std::array<std::byte, 2048> memory{};
    while (::recvfrom(in, memory.data(), memory.size(), 0, nullptr, nullptr) > 1)
      if (++received % kBatch == 0) received.notify_one();
    receive_cpu = thread_cpu_seconds();
  });
  const auto bytes = random_bytes(1460, 1);
  const double cpu_begin = thread_cpu_seconds();
  uint64_t sent = 0;
  for (const SteadyTime begin = steady_now(); steady_now() - begin < duration;) {
    for (uint64_t i = 0; i < kBatch; ++i, ++sent)
      ::sendto(out, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&address), length);
    for (uint64_t now = received; now < sent; now = received) received.wait(now);
  }
  const double send_cpu = thread_cpu_seconds() - cpu_begin;
  ::sendto(out, bytes.data(), 1, 0, reinterpret_cast<sockaddr*>(&address), length);
  receiving.join();
  ::close(in);
  ::close(out);
  print_cost("sendto, recvfrom", sent, send_cpu, receive_cpu);
}

void cost_of(const char* name, const WireChoice& wire, bool whole, bool batching, nanoseconds duration) {
  ReceivingEnd end(batching, whole, wire.keys);
  const auto to = end.address();
  UdpSender sender({.destinations = to, .allow_segmentation = batching});
  const auto packetizer = make_packetizer(full_hd(), wire);
  const auto frame = random_bytes(kFrameBytes, 1);
  const auto packets_once = packetizer->packetize(frame, {});
  const double cpu_begin = thread_cpu_seconds();
  uint64_t frames = 0;
  for (const SteadyTime begin = steady_now(); steady_now() - begin < duration;) {
    sender.send(whole ? packetizer->packetize(frame, times_at(steady_now() - begin)) : packets_once);
    ++frames;
    if (whole)
      end.wait_for_frames(frames);
    else
      end.wait_for_packets(sender.counters().packets);
  }
  const double send_cpu = thread_cpu_seconds() - cpu_begin;
  end.stop();
  print_cost(name, sender.counters().packets, send_cpu, end.cpu_seconds);
}

void cost(nanoseconds duration) {
  cost_of_plain_calls(duration);
  cost_of("sockets alone, one by one", modes()[0].wire, false, false, duration);
  cost_of("sockets alone, SEGMENT and GRO", modes()[0].wire, false, true, duration);
  for (const Mode& mode : modes())
    cost_of(fmt::format("frames, {}", mode.name).c_str(), mode.wire, true, true, duration);
  cost_of_plain_calls(duration);
}

// ---- stream, rate ----

struct Streamed {
  double send_cpu = 0, receive_cpu = 0;  // of a core
  double bits_per_s = 0;                 // of datagrams
  uint64_t sent = 0, arrived = 0, kernel_drops = 0, concealed = 0;
  double p50_ms = 0, p95_ms = 0;
  double behind_s = 0;  // at the end
};

// Like `texcast send`: frames at their time, packets in paced batches.
Streamed stream_once(const WireChoice& wire, double fps, double spread, nanoseconds duration) {
  ReceivingEnd end(true, true, wire.keys);
  const auto to = end.address();
  UdpSender sender({.destinations = to});
  PacketizerSettings settings = full_hd();
  settings.stream.fps = std::min(fps, 1000.0);
  const auto packetizer = make_packetizer(settings, wire);
  const Pacer pacer({.fps = fps, .spread = spread});
  const auto frame = random_bytes(kFrameBytes, 1);
  const auto ignore = [](const Feedback&) {};
  const auto wait_until = [&](SteadyTime time) {
    while (steady_now() < time) sender.wait(time, ignore);
  };
  packetizer->packetize(frame, {});  // its memory is allocated from now on
  const double cpu_begin = thread_cpu_seconds();
  const SteadyTime begin = steady_now();
  const auto count = static_cast<int>(as_seconds(duration) * fps);
  for (int i = 0; i < count; ++i) {
    wait_until(begin + seconds(i / fps));
    const SteadyTime start = steady_now();
    const auto packets = packetizer->packetize(frame, times_at(seconds((i + 1) / fps)));
    size_t bytes = 0;
    for (const auto& packet : packets) bytes += packet.size();
    size_t next = 0, gone = 0;
    for (int tick = 1; next < packets.size(); ++tick) {
      const size_t due = pacer.bytes_due(bytes, steady_now() - start);
      const size_t first = next;
      for (; next < packets.size() && gone < due; ++next) gone += packets[next].size();
      sender.send(packets.subspan(first, next - first));
      if (next < packets.size()) wait_until(start + tick * pacer.tick());
    }
  }
  const nanoseconds took = steady_now() - begin;
  Streamed result{.send_cpu = (thread_cpu_seconds() - cpu_begin) / as_seconds(took),
                  .bits_per_s = static_cast<double>(sender.counters().bytes) * 8 / as_seconds(took),
                  .sent = sender.counters().packets,
                  .behind_s = as_seconds(took) - count / fps};
  std::this_thread::sleep_for(200ms);  // for packets on their way
  end.stop();
  result.receive_cpu = end.cpu_seconds / as_seconds(took);
  result.arrived = end.packets;
  result.kernel_drops = end.kernel_drops;
  result.concealed = end.counters.frames_concealed + end.counters.frames_lost;
  result.p50_ms = end.latency.milliseconds(0.5);
  result.p95_ms = end.latency.milliseconds(0.95);
  return result;
}

void stream(nanoseconds duration) {
  for (const double spread : {0.75, 0.25, 0.0})
    for (const Mode& mode : modes()) {
      const Streamed s = stream_once(mode.wire, kFps, spread, duration);
      fmt::print(
          "spread {:.2f}  {:<17} {:5.0f} Mb/s  sending {:5.1f} % of a core, receiving {:5.1f} %  packetizer to frame "
          "p50 "
          "{:5.2f} ms p95 {:5.2f} ms  packets lost {}, frames not whole {}\n",
          spread, mode.name, s.bits_per_s / 1e6, s.send_cpu * 100, s.receive_cpu * 100, s.p50_ms, s.p95_ms,
          s.sent - s.arrived, s.concealed);
    }
}

// True if everything arrived at that rate.
bool holds(const Mode& mode, double fps, nanoseconds duration) {
  const Streamed s = stream_once(mode.wire, fps, 0.5, duration);
  const bool kept_up = s.behind_s < 0.05 + 0.01 * as_seconds(duration);
  const bool fine = kept_up && s.sent == s.arrived && s.kernel_drops == 0;
  fmt::print("  {:6.2f} Gb/s for {:4.1f} s: {} (sending {:.0f} %, receiving {:.0f} % of a core)\n", s.bits_per_s / 1e9,
             as_seconds(duration),
             fine      ? "nothing lost"
             : kept_up ? fmt::format("{} of {} packets lost", s.sent - s.arrived, s.sent)
                       : "the sender did not keep up",
             s.send_cpu * 100, s.receive_cpu * 100);
  return fine;
}

// Increases by a quarter in short runs until one fails, then decreases by a tenth until a long one succeeds.
void rate(nanoseconds duration) {
  for (const Mode& mode : modes()) {
    fmt::print("{}\n", mode.name);
    double fps = 60;
    while (fps < 20'000 && holds(mode, fps * 1.25, 1s)) fps *= 1.25;
    while (fps > 10 && !holds(mode, fps, duration)) fps *= 0.9;
  }
}

// ---- batching ----

void batching(nanoseconds duration) {
  for (const bool segmentation : {true, false})
    for (const bool gro : {true, false}) {
      ReceivingEnd end(gro, true);
      const auto to = end.address();
      UdpSender sender({.destinations = to, .allow_segmentation = segmentation});
      PlainPacketizer packetizer(full_hd());
      const auto frame = random_bytes(kFrameBytes, 1);
      const double cpu_begin = thread_cpu_seconds();
      const SteadyTime begin = steady_now();
      uint64_t frames = 0;
      while (steady_now() - begin < duration) {
        sender.send(packetizer.packetize(frame, times_at(steady_now() - begin)));
        end.wait_for_frames(++frames);  // a lost packet leads to a frame with losses at its deadline, so this ends
      }
      const double took = as_seconds(steady_now() - begin);
      const double send_cpu = thread_cpu_seconds() - cpu_begin;
      end.stop();
      fmt::print(
          "UDP_SEGMENT {:<3} UDP_GRO {:<3}  {:7.1f} frames/s  {:6.2f} Gb/s  CPU {:5.2f} + {:5.2f} ms a frame  "
          "packetizer "
          "to frame p50 {:.2f} ms p95 {:.2f} ms  lost {}\n",
          segmentation ? "on" : "off", gro ? "on" : "off", static_cast<double>(frames) / took,
          static_cast<double>(sender.counters().bytes) * 8 / took / 1e9, send_cpu * 1e3 / static_cast<double>(frames),
          end.cpu_seconds * 1e3 / static_cast<double>(frames), end.latency.milliseconds(0.5),
          end.latency.milliseconds(0.95), end.counters.lost);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const nanoseconds duration = seconds(argc > 2 ? std::atof(argv[2]) : what == "rate" ? 30 : 2);
  if (what == "cost") return cost(duration), 0;
  if (what == "stream") return stream(duration), 0;
  if (what == "rate") return rate(duration), 0;
  if (what == "batching") return batching(duration), 0;
  fmt::print(stderr, "udp_bench cost|stream|rate|batching [SECONDS]\n");
  return 2;
}
