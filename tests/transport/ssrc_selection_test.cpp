// Several senders at one port, genuine ones and forgers: who is shown, who is not, and whose packets are stored.
#include <doctest/doctest.h>

#include "candidate_senders.h"
#include "support.h"
#include "transport/packet.h"
#include "transport/receive_session.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

PeerAddress host(uint8_t last, uint16_t port = 40000) {
  const std::byte bytes[] = {std::byte{10}, std::byte{0}, std::byte{0}, std::byte{last}};
  return PeerAddress::of_ipv4(bytes, port);
}

// Successive frames of a stream; their bytes differ from those of all others.
struct Source {
  explicit Source(uint32_t ssrc, size_t frame_bytes = kSmallFrame, uint32_t first_id = 7)
      : packetizer_([&] {
          PacketizerSettings settings = small_settings(ssrc);
          settings.first_buffer_id = first_id;
          settings.stream.height = static_cast<int>(64 * frame_bytes / kSmallFrame);
          return settings;
        }()),
        frame_bytes_(frame_bytes),
        seed_(ssrc * 100'000) {}
  std::vector<Datagram> next() {
    frames.push_back(random_bytes(frame_bytes_, seed_ + static_cast<uint32_t>(frames.size())));
    return datagrams(packetizer_, frames.back(), pts_only(nanoseconds(1s) * frames.size() / 60));
  }
  std::vector<std::vector<std::byte>> frames;

 private:
  PlainPacketizer packetizer_;
  size_t frame_bytes_;
  uint32_t seed_;
};

struct Receiver : Bench {
  using Bench::Bench;
  void put(const std::vector<Datagram>& packets, const PeerAddress& from) {
    for (const Datagram& packet : packets) put(packet, from);
  }
  void put(const Datagram& packet, const PeerAddress& from) {
    session.on_datagram(packet, now, wall(), from);
    collect();
  }
  bool showed(const std::vector<std::byte>& frame) const {
    return std::ranges::any_of(shown, [&](const Shown& each) { return each.bytes == frame; });
  }
};

// A packet without extension, with its frame number changed.
Datagram with_id(Datagram packet, uint32_t id) {
  store_be32(packet, 4, load_be32(packet, 4) + 7 * id);  // time stamp
  store_be32(packet, 12, (load_be32(packet, 12) & ~kBufferIdMask) | id);
  return packet;
}

}  // namespace

TEST_CASE("the genuine SSRC from another address is another sender: it is not shown while the first one lives") {
  Source genuine(1), forged(1);
  forged.frames.resize(500);  // other bytes with the same numbers
  Receiver receiver;
  for (int i = 0; i < 100; ++i) {
    const auto lies = forged.next();
    const auto truth = genuine.next();
    for (size_t k = 0; k < truth.size(); ++k) {
      if (i > 0 || k > 0) receiver.put(lies[k], host(66));  // the very first packet determines the selected sender
      receiver.put(truth[k], host(1));
      receiver.put(lies[k], host(1, 40001));  // the same host, another port
    }
    receiver.pass(16ms);
  }
  REQUIRE(receiver.shown.size() == 100);
  for (size_t i = 0; i < 100; ++i) CHECK(receiver.shown[i].bytes == genuine.frames[i]);
  CHECK(receiver.counters().frames_complete == 100);
  CHECK(receiver.counters().lost == 0);
  CHECK(receiver.counters().foreign == 2 * 500 - 1);
  CHECK(receiver.session.sender().count == 1);
  CHECK(receiver.session.sender().from == host(1));
}

TEST_CASE(
    "a sender that continues from another port takes over once the old port has been silent, and this is reported") {
  Source genuine(1);
  Receiver receiver;
  receiver.put(genuine.next(), host(1));
  receiver.pass(249ms);
  receiver.put(genuine.next(), host(1, 40001));
  CHECK(receiver.session.sender().count == 1);
  receiver.pass(1ms);
  receiver.put(genuine.next(), host(1, 40001));
  REQUIRE(receiver.shown.size() == 3);  // the second too: it was stored
  CHECK(receiver.shown[1].bytes == genuine.frames[1]);
  CHECK(receiver.session.sender().count == 2);
  CHECK(receiver.session.sender().from == host(1, 40001));
  CHECK(receiver.session.sender().silence == 250ms);
  CHECK_FALSE(receiver.session.sender().displaced);
}

TEST_CASE("a flood of new SSRCs from one address does not cost the next genuine sender its first frame") {
  // 20,000 forged packets a second between the last packet of the old sender and the first of the new one, and among
  // those of the new one, until it is selected.
  Source old(1), next(2, 64 * kSmallFrame);
  const auto flood = Source(3, 64 * kSmallFrame).next();
  std::mt19937 random(5);
  Receiver receiver;
  receiver.put(old.next(), host(1));
  const auto forge = [&](int packets) {
    for (int i = 0; i < packets; ++i) {
      Datagram packet = flood[1 + random() % (flood.size() - 1)];
      store_be32(packet, 8, 1000 + static_cast<uint32_t>(random()));
      receiver.put(packet, host(66, static_cast<uint16_t>(random())));
    }
  };
  for (int ms = 0; ms < 100; ++ms) {
    forge(20);
    receiver.now += 1ms;
  }
  const auto packets = next.next();
  for (const Datagram& packet : packets) {
    receiver.put(packet, host(2));
    forge(1);
  }
  CHECK(receiver.session.sender().count == 1);
  receiver.now += 200ms;
  receiver.put(next.next(), host(2));
  REQUIRE(receiver.session.sender().count == 2);
  CHECK(receiver.showed(next.frames[0]));
  CHECK(receiver.showed(next.frames[1]));
}

TEST_CASE("nor does an endless flood from one address take its memory") {
  CandidateSenders others;
  const SenderId genuine{.ssrc = 2, .from = host(2)};
  const auto forger = [](size_t i) { return SenderId{.ssrc = 1, .from = host(66, static_cast<uint16_t>(i % 7))}; };
  const std::vector<std::byte> piece = random_bytes(1400, 1);
  MediaPacket packet;
  packet.piece = piece;
  const auto mebibytes = [](size_t count) { return (count << 20) / 1700; };  // of packets
  for (size_t i = 0; i < mebibytes(100); ++i) others.keep(forger(i), packet, SteadyTime{}, WallTime{});
  for (size_t i = 0; i < mebibytes(15); ++i) {
    packet.offset = static_cast<uint32_t>(i);
    others.keep(genuine, packet, SteadyTime{}, WallTime{});
    others.keep(forger(i), packet, SteadyTime{}, WallTime{});
    others.keep(forger(i), packet, SteadyTime{}, WallTime{});
  }
  others.replay(genuine);
  size_t kept = 0;
  for (; others.replaying(); others.replayed_one(), ++kept) {
    REQUIRE(others.replayed().packet.offset == kept);
    REQUIRE(same(others.replayed().packet.piece, piece));
  }
  CHECK(kept == mebibytes(15));
  CHECK_FALSE(others.any());
}

TEST_CASE("stored packets of candidates are bounded, and dropped when the selected sender is heard") {
  Source present(1);
  Receiver receiver;
  receiver.put(present.next(), host(1));
  const auto flood = Source(3, 64 * kSmallFrame).next();
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 50'000; ++i) {
      const Datagram& packet = flood[1 + static_cast<size_t>(i) % (flood.size() - 1)];
      receiver.put(packet, host(static_cast<uint8_t>(i % 200)));
    }
    receiver.put(present.next(), host(1));
  }
  CHECK(receiver.shown.size() == 4);
  CHECK(receiver.session.sender().count == 1);
}

TEST_CASE(
    "two packets of a frame far ahead, from the sender's own address: the genuine stream is back within three frames") {
  for (const uint32_t jump : {3u, 50u, 1000u}) {
    CAPTURE(jump);
    Source genuine(1, 8 * kSmallFrame);
    Receiver receiver;
    std::vector<size_t> missed;
    for (uint32_t i = 0; i < 60; ++i) {
      const auto packets = genuine.next();
      if (i == 10)
        for (const size_t k : {1, 2}) receiver.put(with_id(packets[k], 7 + i + jump), host(1));
      for (const Datagram& packet : packets) {
        receiver.put(packet, host(1));
        receiver.pass(16000us / static_cast<int>(packets.size()));
      }
      if (!receiver.showed(genuine.frames.back())) missed.push_back(i);
    }
    CHECK(missed.size() <= 3);
    CHECK(receiver.showed(genuine.frames.back()));
  }
}

TEST_CASE("two such packets in every frame do not suppress it: all but the first few frames are shown") {
  for (const uint32_t jump : {3u, 200u, 1000u}) {
    CAPTURE(jump);
    Source genuine(1, 8 * kSmallFrame);
    Receiver receiver;
    int whole = 0;
    for (uint32_t i = 0; i < 200; ++i) {
      const auto packets = genuine.next();
      for (size_t k = 0; k < packets.size(); ++k) {
        if (k == packets.size() / 2)
          for (const size_t forged : {1, 2}) receiver.put(with_id(packets[forged], 7 + i + jump), host(1));
        receiver.put(packets[k], host(1));
        receiver.pass(16000us / static_cast<int>(packets.size()));
      }
      if (i >= 20) whole += receiver.showed(genuine.frames.back());
    }
    CHECK(whole >= 170);
  }
}

TEST_CASE("a frame begun by two forged packets gives way to the one with most packets") {
  Source genuine(1, 8 * kSmallFrame);
  Receiver receiver;
  receiver.put(genuine.next(), host(1));
  receiver.pass(16ms);
  const auto packets = genuine.next();
  for (size_t k : {1, 2}) {
    Datagram forged = packets[k];
    store_be32(forged, 4, 0x12345678);  // time stamp
    receiver.put(forged, host(1));
  }
  receiver.put(packets, host(1));
  receiver.pass(200ms);
  REQUIRE(receiver.shown.size() == 2);
  CHECK(receiver.shown[1].frame.concealed_bytes < 4 * 576);  // it arrived while the forged one still had more
}

TEST_CASE("late packets of frames finished long ago do not set a running stream back") {
  Source genuine(1);
  Receiver receiver;
  std::vector<std::vector<Datagram>> held;
  for (int i = 0; i < 100; ++i) {
    auto packets = genuine.next();
    held.push_back({packets[2]});  // arrives five frames late
    packets.erase(packets.begin() + 2);
    receiver.put(packets, host(1));
    if (held.size() > 5) receiver.put(held[held.size() - 6], host(1));
    receiver.pass(16ms);
  }
  CHECK(receiver.counters().late == 95);
  CHECK(receiver.counters().streams == 1);
  for (size_t i = 1; i < receiver.shown.size(); ++i)
    CHECK(receiver.shown[i].frame.number == receiver.shown[i - 1].frame.number + 1);
}

TEST_CASE("a sender that was silent for a moment is shown again at once, if another host took over meanwhile") {
  for (const bool other_host : {true, false}) {
    CAPTURE(other_host);
    const PeerAddress stranger = other_host ? host(66) : host(1, 40001);
    Source genuine(1), forged(2);
    Receiver receiver;
    receiver.put(genuine.next(), host(1));
    receiver.pass(260ms);
    receiver.put(forged.next(), stranger);
    CHECK(receiver.session.sender().count == 2);
    for (int i = 0; i < 20; ++i) {
      receiver.put(genuine.next(), host(1));
      receiver.put(forged.next(), stranger);
      receiver.pass(16ms);
    }
    CHECK(receiver.session.sender().count == (other_host ? 3 : 2));
    CHECK(receiver.session.sender().returned == other_host);
    CHECK(receiver.showed(genuine.frames.back()) == other_host);
    CHECK(receiver.showed(forged.frames.back()) == !other_host);
    for (size_t i = 1; i <= 20; ++i) CHECK(receiver.showed(genuine.frames[i]) == other_host);
  }
}
