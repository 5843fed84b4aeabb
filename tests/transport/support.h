// support.h — shared by several transport tests: frames to send, a session fed by hand, an allocation counter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "../times.h"
#include "transport/plain_packetizer.h"
#include "transport/receive_session.h"
#include "transport/sealing.h"

namespace texcast::transport::test {

using Datagram = std::vector<std::byte>;
using namespace std::chrono_literals;

// Bytes that differ from frame to frame and from place to place, so that a misplaced piece is detected.
inline std::vector<std::byte> random_bytes(size_t size, uint32_t seed) {
  std::vector<std::byte> bytes(size);
  uint64_t state = seed;
  for (size_t at = 0; at < size; at += 8) {  // splitmix64: fast even with sanitizers
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    z ^= z >> 31;
    std::memcpy(&bytes[at], &z, std::min<size_t>(8, size - at));
  }
  return bytes;
}

inline Datagram join(const OutgoingPacket& packet) {
  Datagram datagram(packet.header.begin(), packet.header.end());
  datagram.insert(datagram.end(), packet.payload.begin(), packet.payload.end());
  return datagram;
}

// Null without keys.
inline std::shared_ptr<Sealer> sealer_with(const std::shared_ptr<const WireKeys>& keys) {
  return keys ? std::make_shared<Sealer>(*keys) : nullptr;
}

inline std::vector<Datagram> datagrams(FramePacketizer& packetizer, Bytes frame, const FrameTimes& times = {}) {
  std::vector<Datagram> result;
  for (const OutgoingPacket& packet : packetizer.packetize(frame, times)) result.push_back(join(packet));
  return result;
}

inline bool same(Bytes a, Bytes b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// 64x64 pixels of BC1: 2048 bytes, five 576-byte packets.
inline StreamDesc small_stream() {
  StreamDesc stream;
  stream.fourcc = kFourCcDxt1;
  stream.width = 64;
  stream.height = 64;
  stream.fps = 60;
  stream.has_extension = true;
  stream.texture_format = 1;
  return stream;
}
inline constexpr size_t kSmallFrame = 2048;

inline PacketizerSettings small_settings(uint32_t ssrc = 1) {
  PacketizerSettings settings;
  settings.stream = small_stream();
  settings.mtu = 576;
  settings.ssrc = ssrc;
  settings.first_sequence = 100;
  settings.first_buffer_id = 7;
  return settings;
}

inline FrameTimes pts_only(nanoseconds pts) {
  FrameTimes times;
  times.pts = pts;
  return times;
}

// A delivered frame with a copy of its bytes.
struct Shown {
  std::vector<std::byte> bytes;
  ReceivedFrame frame;
};

// A session with a simulated clock.
struct Bench {
  explicit Bench(const ReceiveSettings& settings = {}) : session(settings) {}
  void put(Bytes datagram) {
    session.on_datagram(datagram, now, wall());
    collect();
  }
  void pass(nanoseconds time) {
    now += time;
    collect();
  }
  void collect() {
    while (auto frame = session.poll(now, wall()))
      shown.push_back({{frame->bytes.begin(), frame->bytes.end()}, *frame});
  }
  WallTime wall() const { return wall_of(now) + 1'700'000'000s; }
  const ReceiveCounters& counters() const { return session.counters(); }

  ReceiveSession session;
  SteadyTime now{1s};
  std::vector<Shown> shown;
};

// Number of allocations (operator new) by this program so far, on all threads.
uint64_t allocations();

}  // namespace texcast::transport::test
