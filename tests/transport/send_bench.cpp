// send_bench — a program, run by hand: the cost of sending a frame, with 0, 1, 3 and 7 helpers: making its packets
// (parity, encryption), storing them for retransmission, and sending them over loopback to a socket whose data is
// discarded.
//
//   send_bench [SECONDS]     for each row; 0.5
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "base/latency.h"
#include "base/stage_time.h"
#include "base/work_ahead.h"
#include "support.h"
#include "transport/udp_socket.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

double as_seconds(nanoseconds time) { return static_cast<double>(time.count()) * 1e-9; }

struct Size {
  const char* name;
  int width, height;
  size_t bytes;
};
constexpr Size kSizes[] = {{"1920x1080 bc1", 1920, 1080, 1920 * 1080 / 2},
                           {"3840x2160 bc1", 3840, 2160, 3840 * 2160 / 2},
                           {"3840x2160 ycocg-dxt5", 3840, 2160, 3840 * 2160},
                           {"7680x4320 bc1", 7680, 4320, 7680 * 4320 / 2}};

// Reads datagrams and discards them.
class Sink {
 public:
  Sink() : receiver_({.address = resolve_address("rtp://127.0.0.1:0", true)}), thread_([this] { run(); }) {}
  ~Sink() {
    stopping_ = true;
    receiver_.wake();
    thread_.join();
  }
  std::vector<Address> address() const {
    return {resolve_address("rtp://127.0.0.1:" + std::to_string(receiver_.port()), false)};
  }

 private:
  void run() {
    while (!stopping_) receiver_.receive(steady_now() + 100ms, [](Bytes) {});
  }
  UdpReceiver receiver_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

struct Steps {
  bool keep = false, send = false;
};

struct FrameCost {
  double ms = 0;      // median, from begin() to the last packet
  double cpu_ms = 0;  // mean, all sending threads
};

FrameCost cost_of(const Size& size, const WireChoice& wire, int threads, const Steps& steps, double seconds) {
  PacketizerSettings settings = small_settings();
  settings.mtu = 1500;
  settings.stream.width = size.width;
  settings.stream.height = size.height;
  WorkAhead helpers(threads);
  const auto packetizer = make_packetizer(settings, wire, &helpers);
  RetransmitStore store({});
  const auto sink = steps.send ? std::make_unique<Sink>() : nullptr;
  const auto to = sink ? sink->address() : std::vector<Address>();
  UdpSender sender({.destinations = to});
  // Different frames, as from an encoder.
  std::vector<std::vector<std::byte>> frames;
  for (uint32_t i = 0; i < 3; ++i) frames.push_back(random_bytes(size.bytes, i));
  const size_t slice = size_t{1} << (threads > 0 ? 19 : 17);  // as in PacedSender
  LatencyWindow window;
  const auto send_frame = [&](uint32_t number) {
    const auto& frame = frames[number % frames.size()];
    const SteadyTime begin = steady_now();
    packetizer->begin(frame, {});
    store.begin_frame(number, begin);
    packetizer->prepare(frame.size());
    for (size_t given = 0; given < frame.size();) {
      given = std::min(given + slice, frame.size());
      const auto packets = packetizer->advance(given);
      if (steps.keep) store.keep(packets);
      if (steps.send) sender.send(packets);
    }
    helpers.finish();
    return steady_now() - begin;
  };
  uint32_t number = 0;
  for (; number < 6; ++number) send_frame(number);
  const nanoseconds cpu_begin = cpu_now(CLOCK_THREAD_CPUTIME_ID) + helpers.cpu_time();
  uint32_t measured = 0;
  for (const SteadyTime begin = steady_now(); as_seconds(steady_now() - begin) < seconds; ++measured)
    window.add(send_frame(number++));
  const nanoseconds cpu = cpu_now(CLOCK_THREAD_CPUTIME_ID) + helpers.cpu_time() - cpu_begin;
  return {window.milliseconds(0.5), as_seconds(cpu) * 1e3 / measured};
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.5;
  const auto keys = WireKeys::of({std::byte{1}}, {std::byte{2}});
  const struct {
    const char* name;
    WireChoice wire;
  } modes[] = {{"no parity", {.fec = {.kind = FecKind::parity, .percent = 0}, .answers_requests = true}},
               {"10 % parity", {.fec = {.kind = FecKind::parity, .percent = 10}, .answers_requests = true}},
               {"10 %, sealed",
                {.fec = {.kind = FecKind::parity, .percent = 10},
                 .crypto = CryptoChoice::texcast,
                 .keys = keys,
                 .answers_requests = true}}};
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  fmt::print("ms a frame (and Gb/s of the frame's bytes); CPU of all sending threads, ms a frame; {} processors\n",
             processors);
  for (const Size& size : kSizes)
    for (const auto& mode : modes)
      for (const int threads : {0, 1, 3, 7}) {
        if (threads > 0 && threads > processors - 1) continue;
        const FrameCost made = cost_of(size, mode.wire, threads, {}, seconds);
        const FrameCost kept = cost_of(size, mode.wire, threads, {.keep = true}, seconds);
        const FrameCost sent = cost_of(size, mode.wire, threads, {.keep = true, .send = true}, seconds);
        const auto gigabits = [&](const FrameCost& cost) { return static_cast<double>(size.bytes) * 8e-6 / cost.ms; };
        fmt::print(
            "{:<20} {:<12} {} helpers  made {:6.2f} ({:5.1f})  kept {:6.2f} ({:5.1f})  sent {:6.2f} ({:5.1f})  "
            "CPU {:6.2f}\n",
            size.name, mode.name, threads, made.ms, gigabits(made), kept.ms, gigabits(kept), sent.ms, gigabits(sent),
            sent.cpu_ms);
        std::fflush(stdout);
      }
  return 0;
}
