// Whole streams over the simulated network. The network's own statistics give the expected results.
#include <doctest/doctest.h>

#include <map>

#include "../tiny.h"
#include "simulated_network.h"
#include "transport/packet.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr size_t kFrameBytes = 115'200;  // 640x360 BC1: 84 packets
constexpr int kFrames = 120;

struct Outcome {
  ReceiveCounters counters;
  std::map<uint64_t, Shown> shown;  // by frame number
  uint64_t network_lost = 0, network_duplicated = 0, sent = 0;
};

std::vector<std::byte> frame_bytes(int index) { return random_bytes(kFrameBytes, static_cast<uint32_t>(index) + 1); }

// 60 frames a second, each paced over 12 ms.
Outcome run(const NetworkSettings& network_settings) {
  PacketizerSettings settings = small_settings();
  settings.stream.width = 640;
  settings.stream.height = 360;
  settings.mtu = 1500;
  PlainPacketizer packetizer(settings);
  SimulatedNetwork network(network_settings);
  Bench bench;
  Outcome outcome;
  const nanoseconds frame_time = nanoseconds(1s) / 60;
  const auto deliver = [&](SteadyTime until) {
    network.deliver(until, [&](Bytes datagram, SteadyTime at) {
      bench.now = at;
      bench.put(datagram);
    });
    bench.now = until;
    bench.collect();
  };
  SteadyTime start{1s};
  for (int i = 0; i < kFrames; ++i, start += frame_time) {
    const auto packets = datagrams(packetizer, frame_bytes(i), pts_only(frame_time * i));
    for (size_t k = 0; k < packets.size(); ++k) {
      const SteadyTime now = start + 12ms * static_cast<int>(k) / static_cast<int>(packets.size());
      deliver(now);
      network.send(packets[k], now);
      ++outcome.sent;
    }
  }
  deliver(start + 1s);
  for (auto& shown : bench.shown) outcome.shown.emplace(shown.frame.number, shown);
  outcome.counters = bench.counters();
  outcome.network_lost = network.lost;
  outcome.network_duplicated = network.duplicated;
  return outcome;
}

// Every byte shown is the byte sent, or was concealed and is an earlier frame's byte of the same place.
uint64_t foreign_bytes(const Outcome& outcome) {
  uint64_t concealed = 0;
  std::vector<std::byte> previous(kFrameBytes);
  for (const auto& [number, shown] : outcome.shown) {
    const auto sent = frame_bytes(static_cast<int>(number));
    uint64_t from_before = 0;
    uint64_t from_nowhere = 0;
    for (size_t i = 0; i < kFrameBytes; ++i)
      if (shown.bytes[i] != sent[i]) ++(shown.bytes[i] == previous[i] ? from_before : from_nowhere);
    REQUIRE(from_nowhere == 0);
    REQUIRE(from_before <= shown.frame.concealed_bytes);
    concealed += shown.frame.concealed_bytes;
    previous = shown.bytes;
  }
  return concealed;
}

}  // namespace

TEST_CASE("loss, reordering, duplication: everything is delivered as sent, except for gaps as large as the loss") {
  struct Row {
    const char* name;
    NetworkSettings network;
  };
  const Row rows[] = {
      {"clean", {}},
      {"1 % lost", {.loss = 0.01}},
      {"5 % lost", {.loss = 0.05}},
      {"30 % lost", {.loss = 0.30}},
      {"20 % reordered", {.reorder = 0.20}},
      {"10 % twice", {.duplicate = 0.10}},
      {"900 ms away", {.delay = 900ms}},
      {"everything", {.loss = 0.05, .reorder = 0.2, .duplicate = 0.1}},
      {"everything, other seed", {.seed = 77, .loss = 0.05, .reorder = 0.2, .duplicate = 0.1}},
  };
  for (const Row& row : rows) {
    if (texcast::test::tiny_only() && (row.network.loss == 0.01 || row.network.loss == 0.30)) continue;
    CAPTURE(row.name);
    const Outcome o = run(row.network);
    const ReceiveCounters& c = o.counters;
    CHECK(o.shown.size() == kFrames);
    CHECK(c.malformed + c.foreign + c.late + c.frames_lost + c.frames_unread == 0);
    CHECK(c.packets == o.sent - o.network_lost);
    CHECK(c.duplicate == o.network_duplicated);
    // All except those lost after the last packet that arrived.
    CHECK(c.lost <= o.network_lost);
    CHECK(c.lost + 5 >= o.network_lost);
    CHECK((c.reordered > 0) == (row.network.reorder > 0));
    CHECK(c.frames_complete + c.frames_concealed == kFrames);
    // Missing packets are not waited for beyond the next frame's first packets and a moment.
    for (const auto& [number, shown] : o.shown)
      if (number + 1 < kFrames) REQUIRE(shown.frame.times.assembled - shown.frame.times.first_packet < 21ms);
    const uint64_t concealed = foreign_bytes(o);
    CHECK(concealed == c.concealed_bytes);
    // The share of concealed bytes equals that of lost packets: a packet costs no more than itself.
    CHECK(static_cast<double>(concealed) / (double{kFrames} * kFrameBytes) ==
          doctest::Approx(static_cast<double>(o.network_lost) / static_cast<double>(o.sent)).epsilon(0.03));
    CHECK(c.streams == 1);
  }
}

TEST_CASE("damaged packets are counted, never fatal, and the stream continues") {
  const Outcome o = run({.loss = 0.01, .corrupt = 0.02});
  const ReceiveCounters& c = o.counters;
  CHECK(c.malformed > 20);
  CHECK(o.shown.size() >= kFrames * 95 / 100);
  uint64_t whole = 0;
  for (const auto& [number, shown] : o.shown)
    if (number < kFrames && shown.bytes == frame_bytes(static_cast<int>(number))) ++whole;
  MESSAGE("whole frames with 1 % lost and 2 % damaged: " << whole << " of " << kFrames << ", shown " << o.shown.size());
  CHECK(c.packets + c.duplicate + c.late + c.malformed + c.foreign + c.refused == o.sent - o.network_lost);
}
