// Sends everything that forger.h makes to a session that shows a genuine stream, in simulated time: nothing forged is
// shown, nothing genuine is lost, and memory does not grow. tests/tools/attack does the same to the program, over
// sockets.
#include <doctest/doctest.h>

#include "../tiny.h"
#include "forger.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

struct AttackRow {
  const char* name;
  bool sealed;
  bool other_address;  // of the forger
};

struct AttackOutcome {
  int whole = 0, wrong = 0;
  ReceiveCounters counters;
  uint64_t senders = 0;
};

AttackOutcome attacked(const AttackRow& row, uint32_t seed) {
  constexpr int kFrames = 60, kForgedPerPacket = 8;
  const auto keys = WireKeys::of({std::byte{1}}, {std::byte{2}});
  PacketizerSettings settings = small_settings(0x01020304);
  settings.mtu = 1500;
  settings.stream.width = 256;
  settings.stream.height = 128;
  const size_t blocks = 256 * 128 / 16;
  const MarkedFrames marked(seed, blocks);
  WireChoice wire{.fec = parse_fec("auto").value(), .answers_requests = true};
  if (row.sealed) {
    wire.crypto = CryptoChoice::texcast;
    wire.keys = keys;
  }
  const auto packetizer = make_packetizer(settings, wire);
  Forger forger(seed, settings);
  Bench bench({.max_frame_bytes = size_t{16} << 20,
               .max_picture = {.width = 4096, .height = 4096, .pixels = int64_t{4} << 20},
               .keys = row.sealed ? keys : nullptr});
  const PeerAddress genuine{.port = 5}, stranger{.scope = row.other_address, .port = 6};
  std::mt19937 random(seed);
  for (uint32_t i = 0; i < kFrames; ++i) {
    FrameTimes times = pts_only(16ms * i);
    times.available = times.encoded = times.sent = bench.wall();
    for (const Datagram& packet : datagrams(*packetizer, marked.frame(i), times)) {
      bench.session.on_datagram(packet, bench.now, bench.wall(), genuine);
      bench.collect();
      forger.overhear(packet);
      for (int k = 0; k < kForgedPerPacket; ++k) {
        const Bytes forged = forger.make(static_cast<Forger::Kind>(random() % Forger::kKinds), bench.wall());
        bench.session.on_datagram(forged, bench.now, bench.wall(), stranger);
        bench.collect();
      }
      bench.pass(300us);
    }
    bench.pass(10ms);
  }
  AttackOutcome outcome{.counters = bench.counters(), .senders = bench.session.sender().count};
  for (size_t i = 0; i < bench.shown.size(); ++i) {
    const auto& bytes = bench.shown[i].bytes;
    const bool own = bytes.size() == 8 * blocks && marked.judge(bytes).whole() && marked.judge(bytes).number == i;
    ++(own ? outcome.whole : outcome.wrong);
  }
  return outcome;
}

}  // namespace

TEST_CASE("fourteen kinds of forged packets: exactly the genuine frames are shown, complete and in order") {
  for (const AttackRow& row :
       {AttackRow{"plain, from another host", false, true},
        AttackRow{"plain, from the same host, another port", false, false},
        AttackRow{"sealed, from another host", true, true}, AttackRow{"sealed, from the same host", true, false}})
    for (const uint32_t seed : {1u, 2u, 3u}) {
      if (texcast::test::tiny_only() && seed > 1) continue;
      CAPTURE(row.name);
      CAPTURE(seed);
      const AttackOutcome outcome = attacked(row, seed);
      CHECK(outcome.whole == 60);
      CHECK(outcome.wrong == 0);
      CHECK(outcome.senders == 1);
      const ReceiveCounters& c = outcome.counters;
      CHECK(c.foreign + c.refused + c.malformed > 1000);
      if (!row.sealed) CHECK(c.oversized > 10);
    }
}
