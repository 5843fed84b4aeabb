// player-bench CAPTURE [ROUNDS]: the time that the player of browsers, compiled natively, takes to decode a capture, on
// one thread. player_bench.mjs does the same with player.wasm; both print the least mean of the rounds and the median
// frame.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/bytes.h"
#include "player/web_player_api.h"
#include "texcast/frame_times.h"
#include "transport/pcap.h"

using namespace texcast;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  double least = 1e9, median = 0;
  for (int round = argc > 2 ? std::atoi(argv[2]) : 5; round > 0; --round) {
    texcast_start(0, 1);
    transport::PcapReader reader(argv[1]);
    std::vector<double> times;
    const auto take = [&](double now) {
      for (bool more = true; more;) {
        const SteadyTime before = steady_now();
        more = texcast_poll(now, now) != 0;
        const double ms = in_milliseconds(steady_now() - before);
        if (texcast_frame(now) != nullptr) times.push_back(ms);
      }
    };
    double now = 0;
    while (const auto datagram = reader.next()) {
      now = in_milliseconds(datagram->time.time_since_epoch());
      const auto bytes = static_cast<uint32_t>(datagram->payload.size() + 3);
      const MutableBytes message(reinterpret_cast<std::byte*>(texcast_message_memory(bytes)), bytes);
      message[0] = std::byte{0};
      store_le16(message, 1, static_cast<uint16_t>(datagram->payload.size()));
      std::memcpy(message.data() + 3, datagram->payload.data(), datagram->payload.size());
      texcast_message(bytes, now, now);
      take(now);
    }
    for (int late = 0; late < 100; ++late) take(now += 10);
    double sum = 0;
    for (const double time : times) sum += time;
    if (times.empty() || sum / static_cast<double>(times.size()) >= least) continue;
    least = sum / static_cast<double>(times.size());
    std::ranges::sort(times);
    median = times[times.size() / 2];
  }
  std::printf("%s: mean %.2f ms, median %.2f ms a frame\n", argv[1], least, median);
}
