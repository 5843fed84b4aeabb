// Floods of forged tile requests, over real sockets: what a sender sends because of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../manual_clock.h"
#include "../patience.h"
#include "stream/compact_sender.h"
#include "texcast/error.h"
#include "transport/compact_packet.h"
#include "transport/interface.h"
#include "transport/udp_socket.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr TextureDesc kStill{.format = TextureFormat::bc1, .width = 640, .height = 360};
constexpr int kFrames = 150;

// Forgers with addresses of their own who know the stream: each requests everything, again and again.
class Flood {
 public:
  Flood(const transport::Address& group, unsigned interface_index)
      : member_({.address = group, .interface_index = interface_index}), thread_([this] { run(); }) {}
  ~Flood() { stop(); }
  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }
  uint64_t bytes() const { return bytes_; }
  uint64_t requests() const { return requests_; }

 private:
  void run() {
    constexpr int kForgers = 24, kAtOnce = 16;
    std::vector<std::unique_ptr<transport::UdpReceiver>> forgers;
    for (int i = 0; i < kForgers; ++i)
      forgers.push_back(std::make_unique<transport::UdpReceiver>(
          transport::UdpReceiver::Settings{.address = transport::resolve_address("rtp://0.0.0.0:0", true)}));
    std::mt19937 random(4);
    while (!stopping_) {
      listen();
      if (!sender_.known()) continue;
      for (int i = 0; i < kAtOnce; ++i) {
        const auto request = forged(random);
        forgers[random() % kForgers]->send_back(sender_, request);
        bytes_ += request.size();
        ++requests_;
      }
    }
  }
  void listen() {
    member_.receive(steady_now() + 1ms, [&](Bytes datagram, const transport::PeerAddress& from) {
      const auto own = transport::parse_own_datagram(datagram);
      const auto packet = own ? transport::parse_compact(own->body) : std::nullopt;
      if (!packet) return;
      sender_ = from;
      ssrc_ = packet->head.ssrc;
      newest_ = packet->head.buffer_id;
    });
  }
  std::vector<std::byte> forged(std::mt19937& random) const {
    std::vector<std::byte> bytes(transport::kMostTileRequestBytes);
    std::vector<transport::PacketRange> ranges;
    for (size_t i = random() % 4 == 0 ? 256 : 1; i > 0; --i) ranges.push_back({0, 4095});
    const uint32_t state = random() % 3 == 0 ? random() & 0x3FFFFF : (newest_ - random() % 100) & 0x3FFFFF;
    const transport::TileRequest request{.ssrc = ssrc_,
                                         .newest = newest_,
                                         .state = random() % 4 == 0 ? std::nullopt : std::optional(state),
                                         .all = random() % 2 == 0};
    bytes.resize(transport::write_tile_request(bytes, request, ranges));
    return bytes;
  }
  transport::UdpReceiver member_;
  transport::PeerAddress sender_;
  uint32_t ssrc_ = 0, newest_ = 0;
  std::atomic<uint64_t> bytes_ = 0, requests_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

// A still picture, frame by frame. The second frame waits for the flood.
SentStatus send_still(const std::string& group, const transport::NetworkInterface& on, const Flood* flood) {
  Destinations destinations({group}, {.interface = on.name, .multicast_ttl = 0}, false, IfExists::refuse, true);
  AutoResetEvent progress;
  SendSettings settings{.fps = 200, .spread = 0.25, .compact = {.on = true, .refresh_seconds = 1e6, .threads = 0}};
  settings.wire.fec = {.kind = transport::FecKind::none};
  test::ManualClock clock;  // 200 frames a second, whatever the load of the machine
  CompactSender sender(destinations, settings, kStill, progress, new_identity(settings), clock);
  std::vector<std::byte> blocks(texture_layout(kStill).total_bytes);
  std::mt19937 random(1);
  for (auto& byte : blocks) byte = static_cast<std::byte>(random());
  const SteadyTime limit = steady_now() + test::kPatience;
  for (int i = 0; i < kFrames; ++i) {
    while (!sender.idle() && steady_now() < limit) progress.wait_until(limit);
    REQUIRE(sender.idle());
    clock.advance(5ms);
    const uint64_t before = flood != nullptr ? flood->requests() : 0;
    sender.start(
        {.texture = {kStill, blocks}, .times = {.pts = i * 5ms, .available = wall_now(), .encoded = wall_now()}});
    // Ensures more requests than are accepted before each frame, whatever the load of the machine.
    while (flood != nullptr && i > 0 && flood->requests() < before + 100 && steady_now() < limit)
      std::this_thread::sleep_for(100us);
  }
  while (!sender.drained() && steady_now() < limit) progress.wait_until(steady_now() + 10ms);
  return sender.status();
}

}  // namespace

TEST_CASE("floods of forged requests enlarge a stream by its share of repairs at most, and stop nothing") {
  const auto all = transport::network_interfaces();
  const auto found = std::ranges::find_if(all, [](const auto& i) { return i.up && i.multicast && !i.loopback; });
  const transport::NetworkInterface& on = found != all.end() ? *found : all.at(0);
  const std::string group = "rtp://239.255.77.15:" + std::to_string(20000 + std::random_device()() % 10000 * 2);
  try {
    const SentStatus in_peace = send_still(group, on, nullptr);
    Flood flood(transport::resolve_address(group, true), on.index);
    const SentStatus flooded = send_still(group, on, &flood);
    flood.stop();
    CHECK(in_peace.frames == kFrames);
    CHECK(flooded.frames == kFrames);
    CHECK(in_peace.tile_requests == 0);
    REQUIRE(flooded.tile_requests > kFrames);
    const auto plain = static_cast<double>(texture_layout(kStill).total_bytes);
    const double more = static_cast<double>(flooded.bytes) - static_cast<double>(in_peace.bytes);
    const double share = compact::RefreshBudget::kShare * static_cast<double>(in_peace.bytes) +
                         compact::IntraRefresh::kShareOfRaw * plain * kFrames;
    constexpr double kHeaders = 1.1;  // of packets and records
    CHECK(more > plain / 2);          // the flood is accepted
    CHECK(more < static_cast<double>(flood.bytes()));
    CHECK(flooded.compact->refused > 0);
    CHECK(more <= kHeaders * (share + 2 * plain));
    MESSAGE(flooded.tile_requests << " requests of " << flood.bytes() << " bytes, " << flooded.compact->refused
                                  << " refused: " << more << " bytes more in " << kFrames << " frames; "
                                  << in_peace.bytes << " were sent without a flood, and a raw frame has " << plain);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::network);
    MESSAGE("SKIP: no multicast on this machine: " << std::string(error.what()));
  }
}
