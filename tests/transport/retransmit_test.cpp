// NACKs and retransmissions, each side by itself; own_session_test.cpp combines them.
#include <doctest/doctest.h>

#include "nack_scheduler.h"
#include "support.h"
#include "transport/own_packetizer.h"
#include "transport/retransmit_store.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr SteadyTime kBegin{1s};

// A frame of `packets` packets, whose state is kept as by a session.
struct AskedFrame {
  explicit AskedFrame(uint32_t packets, uint16_t groups = 1, uint8_t parity_packets = 0) : bytes(packets * 464) {
    StreamExtension extension;
    extension.symbol_bytes = 464;
    extension.groups = groups;
    extension.parity = parity_packets;
    parity.begin();
    REQUIRE(parity.learn(extension, bytes));
    nacks.begin();
  }
  void put(uint32_t packet, SteadyTime now) {
    parity.arrived(packet * 464, 464);
    scheduler.arrived(nacks, parity, false, now);
  }
  void put_parity(uint32_t group, uint32_t number, SteadyTime now) {
    const std::vector<std::byte> symbol(464);
    REQUIRE(parity.add(group, number, symbol) == FrameParity::Added::taken);
    scheduler.arrived(nacks, parity, false, now);
  }
  std::vector<PacketRange> due(SteadyTime now) {
    const auto ranges = scheduler.due(nacks, parity, now);
    return {ranges.begin(), ranges.end()};
  }
  uint32_t bytes;
  FrameParity parity;
  FrameNacks nacks;
  NackScheduler scheduler;
};

using Ranges = std::vector<PacketRange>;

RetransmitSettings store_settings() {
  RetransmitSettings settings;
  settings.ssrc = 1;
  return settings;
}

Datagram request(uint32_t buffer_id, const Ranges& ranges, uint32_t ssrc = 1) {
  Datagram datagram(2000);
  datagram.resize(write_request(datagram, ssrc, buffer_id, ranges));
  return datagram;
}

// A stream whose packets are sent `gap` apart, over a path without delay. Its sender answers NACKs at once, even for
// packets of the frame that are still to be sent.
struct SlowStream {
  explicit SlowStream(double fps)
      : packetizer(settings(fps), {.parity_percent = 0, .answers_requests = true}), store(store_settings()) {}
  // Packets from `lost` on are lost. There is a pause before packet `pause_at`.
  void send_frame(uint32_t packets, nanoseconds gap, uint32_t lost = 1000, uint32_t pause_at = 1000) {
    const auto frame = random_bytes(464 * packets, ++frames);
    const auto sent = packetizer.packetize(frame, pts_only(bench.now - SteadyTime{}));
    REQUIRE(sent.size() == packets);
    store.begin_frame(*packetizer.requestable_frame(), bench.now);
    store.keep(sent);
    for (uint32_t i = 0; i < packets; ++i) {
      if (i == pause_at) pass(80ms);
      if (i < lost) bench.put(join(sent[i]));
      answer();
      pass(gap);
    }
  }
  void pass(nanoseconds time) {
    for (const SteadyTime end = bench.now + time; bench.now < end;) {
      bench.pass(std::min<nanoseconds>(100us, end - bench.now));
      answer();
    }
  }
  void answer() {
    while (const auto request = bench.session.poll_feedback(bench.now)) {
      if (!first_request) first_request = bench.now;
      for (const OutgoingPacket& packet : store.answer(0, *request, bench.now)) bench.put(join(packet));
    }
  }
  static PacketizerSettings settings(double fps) {
    PacketizerSettings settings = small_settings();
    settings.stream.fps = fps;
    return settings;
  }
  OwnPacketizer packetizer;
  RetransmitStore store;
  Bench bench{ReceiveSettings{.request_lost = true}};
  uint32_t frames = 0;
  std::optional<SteadyTime> first_request;
};

}  // namespace

TEST_CASE("a packet is requested once, after later ones have been there for a moment") {
  AskedFrame frame(20);
  SteadyTime now = kBegin;
  for (const uint32_t packet : {0u, 1u, 2u, 4u, 7u}) frame.put(packet, now);
  CHECK(frame.due(now).empty());
  CHECK(frame.nacks.next_look == now + 1ms);
  now += 1ms;
  CHECK(frame.due(now) == Ranges{{3, 1}, {5, 2}});
  CHECK(frame.due(now).empty());
  CHECK(frame.scheduler.requested() == 3);
  // A packet that is only late is not requested.
  frame.put(9, now);
  frame.put(8, now + 500us);
  CHECK(frame.due(now + 1ms).empty());
}

TEST_CASE("the end of a frame is requested when the next frame has begun") {
  AskedFrame frame(5);
  frame.put(0, kBegin);
  frame.put(1, kBegin);
  CHECK(frame.due(kBegin + 10ms).empty());
  frame.scheduler.over(frame.nacks, frame.parity, kBegin + 20ms);
  CHECK(frame.due(kBegin + 20ms).empty());
  CHECK(frame.due(kBegin + 21ms) == Ranges{{2, 3}});
}

TEST_CASE("the end is also requested after a silence, but not if packets arrive again") {
  AskedFrame frame(5, 1, 2);
  frame.put(0, kBegin);
  frame.put(1, kBegin);
  frame.scheduler.quiet(frame.nacks, frame.parity, kBegin + 5ms);
  CHECK(frame.due(kBegin + 6ms) == Ranges{{2, 3}});
  AskedFrame other(5, 1, 2);
  other.put(0, kBegin);
  other.scheduler.quiet(other.nacks, other.parity, kBegin + 5ms);
  other.put(2, kBegin + 5ms);  // one lost, two parity packets to come
  CHECK(other.due(kBegin + 6ms).empty());
}

TEST_CASE("unanswered requests are repeated after increasing times; the round trip is measured") {
  AskedFrame frame(20);
  SteadyTime now = kBegin;
  frame.put(1, now);
  frame.put(3, now);
  CHECK(frame.due(now += 1ms) == Ranges{{0, 1}, {2, 1}});
  CHECK_FALSE(frame.scheduler.answered(frame.nacks, 1, now));  // that one arrived without a request
  now += 4ms;
  CHECK(frame.scheduler.answered(frame.nacks, 0, now));
  frame.put(0, now);
  CHECK(frame.scheduler.round_trip() == 4ms);
  // 4 ms and four times a deviation of 2.
  CHECK(frame.due(kBegin + 12ms).empty());
  CHECK(frame.due(kBegin + 13ms) == Ranges{{2, 1}});
  CHECK(frame.due(kBegin + 24ms).empty());
  CHECK(frame.due(kBegin + 25ms) == Ranges{{2, 1}});
  // It is unknown which of the three requests it answers: nothing is measured.
  CHECK(frame.scheduler.answered(frame.nacks, 2, kBegin + 38ms));
  CHECK(frame.scheduler.round_trip() == 4ms);
}

TEST_CASE("packets that parity can recover are not requested, until parity is lost too") {
  AskedFrame frame(20, 2, 2);
  SteadyTime now = kBegin;
  for (uint32_t packet = 0; packet < 20; ++packet)
    if (packet != 4 && packet != 6 && packet != 8 && packet != 9) frame.put(packet, now);
  // Group 0 lacks three packets and can expect two parity packets, group 1 lacks one.
  CHECK(frame.due(now += 1ms) == Ranges{{4, 1}});
  frame.put_parity(0, 0, now);
  frame.put_parity(1, 0, now);
  CHECK(frame.due(now += 1ms).empty());
  frame.scheduler.over(frame.nacks, frame.parity, now);  // the others did not arrive
  CHECK(frame.due(now += 1ms) == Ranges{{6, 1}});
}

TEST_CASE("requests are limited to a quarter of the packets that arrive") {
  AskedFrame frame(4000);
  SteadyTime now = kBegin;
  uint64_t came = 0;
  for (uint32_t packet = 0; packet < 4000; packet += 2, now += 10us) {
    frame.put(packet, now);
    ++came;
    frame.due(now);
  }
  CHECK(frame.scheduler.requested() <= 64 + came / 4);
  CHECK(frame.scheduler.requested() >= came / 4);
}

TEST_CASE("if nothing is ever answered, requests stop except for one a second") {
  AskedFrame frame(1000);
  SteadyTime now = kBegin;
  for (uint32_t packet = 0; packet < 1000; packet += 10) frame.put(packet, now);
  while (now < kBegin + 600ms) frame.due(now += 1ms);
  CHECK_FALSE(frame.scheduler.expects_answers(now));
  const uint64_t before = frame.scheduler.requested();
  while (now < kBegin + 3600ms) frame.due(now += 1ms);
  CHECK(frame.scheduler.requested() - before >= 2);
  CHECK(frame.scheduler.requested() - before <= 4);
  for (const auto& hole : frame.nacks.holes)
    if (hole.times > 0) {
      CHECK(frame.scheduler.answered(frame.nacks, hole.packet, now));
      break;
    }
  CHECK(frame.scheduler.expects_answers(now));
}

TEST_CASE("packets of a slow stream are not requested while they are on their way") {
  for (const uint32_t packets : {2u, 5u})
    for (const nanoseconds gap : {2ms, 7ms, 20ms}) {
      CAPTURE(packets);
      CAPTURE(gap.count());
      SlowStream stream(0.75 / in_seconds(gap * packets));
      for (int i = 0; i < 30; ++i) {
        stream.send_frame(packets, gap);
        stream.pass(gap * packets / 3);
      }
      CHECK(stream.bench.shown.size() == 30);
      CHECK(stream.bench.counters().requested == 0);
      CHECK(stream.bench.counters().duplicate == 0);
    }
}

TEST_CASE("a stream with long gaps is requested needlessly only for its first few frames") {
  for (const bool was_quick : {true, false}) {
    CAPTURE(was_quick);
    SlowStream stream(10);
    for (int i = 0; i < 40 && was_quick; ++i) {
      stream.send_frame(5, 100us);
      stream.pass(99500us);
    }
    CHECK(stream.bench.counters().requested == 0);
    for (int i = 0; i < 10; ++i) {
      stream.send_frame(3, 30ms);
      stream.pass(10ms);
    }
    const uint64_t requested = stream.bench.counters().requested;
    CHECK(requested <= 10);
    for (int i = 0; i < 30; ++i) {
      stream.send_frame(3, 30ms);
      stream.pass(10ms);
    }
    CHECK(stream.bench.counters().requested == requested);
  }
}

TEST_CASE("the lost end of a frame is requested soon, even after a frame with a pause in it") {
  SlowStream stream(60);
  for (int i = 0; i < 40; ++i) {
    stream.send_frame(20, 100us);
    stream.pass(14ms);
  }
  REQUIRE(stream.bench.counters().requested == 0);
  stream.send_frame(20, 100us, 1000, 15);
  stream.pass(14ms);
  stream.first_request.reset();
  const SteadyTime last = stream.bench.now + 1700us;
  stream.send_frame(20, 100us, 18);
  stream.pass(14ms);
  REQUIRE(stream.first_request);
  CHECK(*stream.first_request - last < 10ms);
}

TEST_CASE("a store retransmits identical datagrams of the latest frames") {
  PacketizerSettings settings = small_settings();
  OwnPacketizer packetizer(settings, {.answers_requests = true});
  RetransmitStore store(store_settings());
  std::vector<std::vector<Datagram>> sent;
  SteadyTime now = kBegin;
  for (uint32_t i = 0; i < 6; ++i, now += 16ms) {
    const auto frame = random_bytes(464 * 40, i);
    const auto packets = packetizer.packetize(frame, pts_only(i * 16ms));
    REQUIRE(packetizer.requestable_frame() == 7 + i);
    store.begin_frame(7 + i, now);
    store.keep(packets.first(10));
    store.keep(packets.subspan(10));
    sent.emplace_back();
    for (const OutgoingPacket& packet : packets) sent.back().push_back(join(packet));
  }
  const auto ask = [&](uint32_t buffer_id, const Ranges& ranges, uint32_t ssrc = 1) {
    std::vector<Datagram> answer;
    for (const OutgoingPacket& packet : store.answer(0, request(buffer_id, ranges, ssrc), now))
      answer.push_back(join(packet));
    return answer;
  };
  CHECK(ask(12, {{3, 2}, {39, 1}}) == std::vector<Datagram>{sent[5][3], sent[5][4], sent[5][39]});
  CHECK(ask(9, {{0, 1}}) == std::vector<Datagram>{sent[2][0]});
  CHECK(ask(8, {{0, 1}}).empty());                             // five frames ago
  CHECK(ask(12, {{0, 1}}, 2).empty());                         // another stream
  CHECK(ask(12, {{10'000, 5}}).empty());                       // no such packets
  CHECK(store.answer(1, request(12, {{0, 1}}), now).empty());  // not a destination
  CHECK(store.answer(0, sent[0][0], now).empty());             // not a NACK
  CHECK(store.sent_again() == 4);
  now += 300ms;
  CHECK(ask(12, {{0, 1}}).empty());  // too old for any receiver
}

TEST_CASE("a flood of NACKs gets at most a quarter of the stream, without effect on other receivers") {
  PacketizerSettings packets_settings = small_settings();
  OwnPacketizer packetizer(packets_settings, {.answers_requests = true});
  RetransmitSettings settings = store_settings();
  settings.destinations = 2;
  RetransmitStore store(settings);
  size_t sent = 0, sent_again = 0;
  for (uint32_t i = 0; i < 30; ++i) {
    const SteadyTime now = kBegin + i * 16ms;
    const auto frame = random_bytes(464 * 40, i);
    const auto packets = packetizer.packetize(frame, pts_only(i * 16ms));
    store.begin_frame(*packetizer.requestable_frame(), now);
    store.keep(packets);
    for (const OutgoingPacket& packet : packets) sent += packet.size();
    for (int k = 0; k < 20; ++k)
      for (const OutgoingPacket& packet :
           store.answer(0, request(7 + i, {{0, PacketRange::kMaxCount}, {0, PacketRange::kMaxCount}}), now))
        sent_again += packet.size();
  }
  CHECK(sent_again <= sent / 4);
  CHECK(sent_again >= sent / 5);
  CHECK(store.answer(1, request(36, {{0, 5}}), kBegin + 29 * 16ms).size() == 5);
}

TEST_CASE("a small frame's lost packet of any size that the MTU allows is sent again") {
  const PacketizerSettings jumbo{.mtu = 9000, .ssrc = 1};
  const auto store = make_retransmit_store(jumbo, {.answers_requests = true}, 1);
  REQUIRE(store);
  const std::vector<std::byte> datagram(8900);
  const OutgoingPacket packet{.header = datagram, .payload = {}};
  for (uint32_t frame = 0; frame < 8; ++frame) {  // a quarter of four such frames
    store->begin_frame(frame, kBegin);
    store->keep({&packet, 1});
  }
  CHECK(store->answer(0, request(7, {{0, 1}}), kBegin).size() == 1);
}

TEST_CASE("a store keeps no more than allowed, and does not allocate for frames like the previous ones") {
  RetransmitSettings settings = store_settings();
  settings.max_bytes = 60'000;
  RetransmitStore store(settings);
  OwnPacketizer packetizer(small_settings(), {.answers_requests = true});
  const auto large = random_bytes(60'000, 1);
  store.begin_frame(1, kBegin);
  store.keep(packetizer.packetize(large, {}));
  CHECK(store.answer(0, request(1, {{0, 1}}), kBegin).empty());
  const auto small = random_bytes(20'000, 2);
  const auto packets = packetizer.packetize(small, {});
  for (uint32_t i = 2; i < 4; ++i) {
    store.begin_frame(i, kBegin);
    store.keep(packets);
  }
  CHECK(store.answer(0, request(3, {{0, 1}}), kBegin).size() == 1);
  CHECK(store.answer(0, request(2, {{0, 1}}), kBegin).size() == 1);
  RetransmitStore roomy(store_settings());
  for (uint32_t i = 0; i < 5; ++i) {
    roomy.begin_frame(i, kBegin);
    roomy.keep(packets);
  }
  const uint64_t before = allocations();
  roomy.begin_frame(5, kBegin);
  roomy.keep(packets);
  CHECK(allocations() == before);
}

TEST_CASE("a store whose frames do not all fit reuses their memory") {
  RetransmitSettings settings = store_settings();
  settings.max_bytes = 60'000;  // two of these
  RetransmitStore store(settings);
  OwnPacketizer packetizer(small_settings(), {.answers_requests = true});
  const auto frame = random_bytes(20'000, 2);
  const auto packets = packetizer.packetize(frame, {});
  uint64_t before = 0;
  for (uint32_t i = 0; i < 20; ++i) {
    if (i == 8) before = allocations();
    store.begin_frame(i, kBegin);
    for (size_t at = 0; at < packets.size(); at += 10)
      store.keep(packets.subspan(at, std::min<size_t>(10, packets.size() - at)));
  }
  CHECK(allocations() == before);
  CHECK(store.answer(0, request(19, {{0, 1}}), kBegin).size() == 1);
  CHECK(store.answer(0, request(18, {{0, 1}}), kBegin).size() == 1);
  CHECK(store.answer(0, request(17, {{0, 1}}), kBegin).empty());
}
