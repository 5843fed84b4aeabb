// transport_soak.cpp — a program, not a quick test: pushes N packets (by default 10 million) through a session, some
// lost, duplicated, reordered, damaged or pure noise. Fails on a crash, on a datagram counted twice or not at all, or
// if the stream does not survive.
//
//   transport_soak [PACKETS] [SEED]
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "../times.h"
#include "support.h"
#include "transport/packet.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

struct Row {
  const char* name;
  WireChoice wire;
  double loss, duplicate, swap, damage, noise;
  // Share of the frames sent; each has 730 packets, so whole frames are lost only by a failing session.
  double must_show;
  double must_be_whole = 0;
};

struct Result {
  double packets_per_second;
  ReceiveCounters counters;
  uint64_t put, frames_sent, frames_shown;
};

Result run(const Row& row, uint64_t packet_count, uint32_t seed) {
  // 1920x1080 BC1: 1.04 MB, 730 packets; eight different frames made beforehand, so that only the session is measured.
  constexpr size_t kFrameBytes = 1920 * 1080 / 2;
  const auto frame = random_bytes(kFrameBytes, seed);
  PacketizerSettings settings = small_settings();
  settings.mtu = 1500;
  settings.stream.width = 1920;
  settings.stream.height = 1080;
  const auto packetizer = make_packetizer(settings, row.wire);

  ReceiveSession session({.keys = row.wire.keys, .cipher = row.wire.crypto, .max_age = nanoseconds{}});
  std::mt19937 random(seed);
  const auto happens = [&](double p) { return p > 0 && static_cast<double>(random()) < p * 4294967296.0; };
  Result result{};
  SteadyTime now{std::chrono::seconds(1)};
  Datagram scratch, held;
  nanoseconds inside{};
  const auto put = [&](Bytes datagram) {
    session.on_datagram(datagram, now, wall_of(now));
    while (session.poll(now, wall_of(now))) ++result.frames_shown;
    ++result.put;
  };
  std::vector<Datagram> queue;
  while (result.put < packet_count) {
    queue.clear();
    for (const OutgoingPacket& packet : packetizer->packetize(frame, pts_only(now.time_since_epoch()))) {
      if (happens(row.loss)) continue;
      scratch = join(packet);
      if (happens(row.damage)) {
        const size_t range = random() % 4 ? 72 : scratch.size();
        for (uint64_t i = 0, n = 1 + random() % 3; i < n; ++i)
          scratch[random() % range] = static_cast<std::byte>(random());
        if (random() % 8 == 0) scratch.resize(random() % scratch.size());
      }
      if (happens(row.noise)) {
        Datagram noise = random_bytes(random() % 1500, static_cast<uint32_t>(random()));
        if (!noise.empty() && random() % 2) noise[0] = std::byte{0x80};
        if (noise.size() > 1 && random() % 2) noise[1] = std::byte{20};
        queue.push_back(std::move(noise));
      }
      if (happens(row.duplicate)) queue.push_back(scratch);
      queue.push_back(std::move(scratch));
      if (queue.size() > 1 && happens(row.swap)) std::swap(queue.back(), queue[queue.size() - 2]);
    }
    ++result.frames_sent;
    const SteadyTime begin = steady_now();
    for (const Datagram& datagram : queue) put(datagram);
    inside += steady_now() - begin;
    now += nanoseconds(16'666'667);
  }
  result.counters = session.counters();
  result.packets_per_second = static_cast<double>(result.put) / (static_cast<double>(inside.count()) * 1e-9);
  return result;
}

bool report(const Row& row, const Result& r) {
  const ReceiveCounters& c = r.counters;
  fmt::print(
      "{:<34} {:>8} packets {:5.2f} M/s {:6.2f} Gbit/s | frames sent {} shown {} repaired {} concealed {} lost {} | "
      "lost "
      "{} recovered {} late {} dup {} surplus {} reordered {} malformed {} foreign {} refused {}\n",
      row.name, r.put, r.packets_per_second / 1e6, r.packets_per_second * 1460 * 8 / 1e9, r.frames_sent, r.frames_shown,
      c.frames_recovered, c.frames_concealed, c.frames_lost, c.lost, c.recovered_parity, c.late, c.duplicate, c.surplus,
      c.reordered, c.malformed, c.foreign, c.refused);
  const uint64_t counted =
      c.packets + c.duplicate + c.late + c.malformed + c.foreign + c.surplus + c.beside + c.refused;
  if (counted != r.put) {
    fmt::print("FAILED: {} datagrams put, {} counted\n", r.put, counted);
    return false;
  }
  if (static_cast<double>(r.frames_shown) < row.must_show * static_cast<double>(r.frames_sent)) {
    fmt::print("FAILED: the stream did not survive\n");
    return false;
  }
  if (static_cast<double>(c.frames_complete) < row.must_be_whole * static_cast<double>(r.frames_sent)) {
    fmt::print("FAILED: {} of {} frames whole\n", c.frames_complete, r.frames_sent);
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t packets = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const auto seed = static_cast<uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1);
  const auto keys = WireKeys::derive("a passphrase of the soak");
  const auto fec = [](const char* spec) { return WireChoice{.fec = parse_fec(spec).value()}; };
  const auto encrypted = [&](const char* spec, CryptoChoice crypto) {
    return WireChoice{.fec = parse_fec(spec).value(), .crypto = crypto, .keys = keys};
  };
  const Row all[] = {
      {"clean", {}, 0, 0, 0, 0, 0, 0.99, 0.99},
      {"1 % lost", {}, 0.01, 0, 0, 0, 0, 0.99},
      {"5 % lost", {}, 0.05, 0, 0, 0, 0, 0.99},
      {"lost, twice, swapped, damaged", {}, 0.02, 0.02, 0.05, 0.02, 0.01, 0.98},
      {"a third damaged, a third noise", {}, 0, 0, 0, 0.3, 0.3, 0.8},
      {"10 % parity, clean", fec("10%"), 0, 0, 0, 0, 0, 0.99, 0.99},
      {"10 % parity, 1 % lost", fec("10%"), 0.01, 0, 0.05, 0, 0, 0.99, 0.98},
      {"10 % parity, all evils", fec("10%"), 0.01, 0.02, 0.05, 0.02, 0.01, 0.98},
      {"Reed-Solomon 200:240, clean", fec("ultragrid-rs:200:240"), 0, 0, 0, 0, 0, 0.99, 0.99},
      {"Reed-Solomon 200:240, 1 % lost", fec("ultragrid-rs:200:240"), 0.01, 0, 0.05, 0, 0, 0.98, 0.95},
      {"Reed-Solomon 200:240, all evils", fec("ultragrid-rs:200:240"), 0.01, 0.02, 0.05, 0.02, 0.01, 0.95},
      {"LDGM 512:384:5, 5 % lost", fec("ultragrid-ldgm:512:384:5"), 0.05, 0, 0.05, 0, 0, 0.98, 0.9},
      {"LDGM 512:384:5, all evils", fec("ultragrid-ldgm:512:384:5"), 0.02, 0.02, 0.05, 0.02, 0.01, 0.95},
      {"mult:2, 5 % lost", fec("mult:2"), 0.05, 0, 0, 0, 0, 0.95},
      {"CBC, all evils", encrypted("none", CryptoChoice::ultragrid_cbc), 0.01, 0.02, 0.05, 0.02, 0.01, 0.98},
      {"GCM and Reed-Solomon, all evils", encrypted("ultragrid-rs:200:240", CryptoChoice::ultragrid_gcm), 0.01, 0.02,
       0.05, 0.02, 0.01, 0.95},
      {"sealed, 10 % parity, all evils", encrypted("10%", CryptoChoice::texcast), 0.01, 0.02, 0.05, 0.02, 0.01, 0.98,
       0.5}};
  bool good = true;
  for (const Row& row : all) good &= report(row, run(row, packets / std::size(all), seed));
  return good ? 0 : 1;
}
