// A stream that passes through a relay: which datagrams pass, and who answers which feedback. The places of packets are
// compared with the order in which packetizers return them, which is how senders number them.
#include <doctest/doctest.h>

#include "compact_support.h"
#include "support.h"
#include "transport/audio_packet.h"
#include "transport/audio_packetizer.h"
#include "transport/encrypting_packetizers.h"
#include "transport/own_packetizer.h"
#include "transport/packet_cache.h"
#include "transport/relay_session.h"
#include "transport/relayed_packet.h"
#include "transport/retransmit_store.h"
#include "transport/sound_relay.h"
#include "transport/tile_request_merger.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr SteadyTime kArrival{1s};
constexpr WallTime kWall = WallTime(1'700'000'000s);
using Ranges = std::vector<PacketRange>;
using Merged = TileRequestMerger::Merged;

PeerAddress host_at(uint8_t last, uint16_t port = 5004) {
  const std::array<std::byte, 4> bytes{std::byte{10}, std::byte{0}, std::byte{0}, std::byte{last}};
  return PeerAddress::of_ipv4(bytes, port);
}

std::shared_ptr<const WireKeys> keys() { return WireKeys::of({std::byte{1}}, {std::byte{2}}); }

// A request as it comes from a receiver. The bytes must outlive it.
struct Asked {
  Asked(std::optional<uint32_t> state, bool all, const Ranges& ranges, uint32_t ssrc = 1) {
    datagram.resize(kMostTileRequestBytes);
    datagram.resize(write_tile_request(datagram, {.ssrc = ssrc, .newest = 100, .state = state, .all = all}, ranges));
    request = *parse_tile_request(Bytes(datagram).subspan(kOwnHeaderBytes));
  }
  Datagram datagram;
  TileRequest request;
};

Datagram nack(uint32_t buffer_id, const Ranges& ranges, uint32_t ssrc = 1) {
  Datagram datagram(2000);
  datagram.resize(write_request(datagram, ssrc, buffer_id, ranges));
  return datagram;
}

std::vector<Datagram> passed(RelaySession& relay, const std::vector<Datagram>& datagrams, SteadyTime now,
                             const PeerAddress& from) {
  std::vector<Datagram> out;
  for (const Datagram& datagram : datagrams)
    if (const auto on = relay.on_datagram(datagram, now, kWall + (now - kArrival), from))
      out.emplace_back(on->begin(), on->end());
  return out;
}

std::unique_ptr<FramePacketizer> own_packetizer(uint32_t ssrc = 1, CryptoChoice crypto = CryptoChoice::none) {
  WireChoice wire{.crypto = crypto,
                  .answers_requests = crypto == CryptoChoice::none || crypto == CryptoChoice::texcast};
  if (crypto != CryptoChoice::none) wire.keys = keys();
  PacketizerSettings settings = small_settings(ssrc);
  settings.mtu = 700;
  return make_packetizer(settings, wire);
}

std::vector<Datagram> frame_of(FramePacketizer& packetizer, int number, const std::vector<std::byte>& bytes) {
  return datagrams(packetizer, bytes, pts_only(number * nanoseconds(16'666'667)));
}

}  // namespace

TEST_CASE("a relay names the packets of a raw stream as their sender does") {
  OwnPacketizer packetizer(small_settings(), {.parity_percent = 40, .answers_requests = true});
  const auto bytes = random_bytes(kSmallFrame * 7, 3);
  const auto all = datagrams(packetizer, bytes);
  REQUIRE(all.size() > packetizer.layout().packets() + 1);
  for (size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    CHECK(packet_place(all[i]) == PacketPlace{*packetizer.requestable_frame(), static_cast<uint32_t>(i)});
    CHECK(picture_ssrc(all[i]) == 1u);
  }
}

TEST_CASE("a relay names the packets of a coded stream as their sender does") {
  CompactPacketizer packetizer(compact_settings(), {.parity_percent = 30, .answers_requests = true});
  const auto all = datagrams(packetizer, payloads_of(3, 40, packetizer.max_payload()));
  for (size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    CHECK(packet_place(all[i]) == PacketPlace{packetizer.buffer_id(), static_cast<uint32_t>(i)});
    CHECK(picture_ssrc(all[i]) == 1u);
  }
}

TEST_CASE("packets that nobody can request have no place") {
  PlainPacketizer plain(small_settings());
  const auto all = datagrams(plain, random_bytes(kSmallFrame, 1));
  CHECK(packet_place(all.front()) == std::nullopt);
  CHECK(picture_ssrc(all.front()) == 1u);
  CHECK(packet_place({}) == std::nullopt);
  CHECK(picture_ssrc(nack(7, {{0, 1}})) == std::nullopt);  // feedback does not pass
  CHECK(picture_ssrc(Asked({}, true, {}).datagram) == std::nullopt);
}

TEST_CASE("the cache answers in any order, with gaps, and nothing twice") {
  PacketCache cache({.at_once = 1 << 20});
  const auto datagram = [](uint32_t number) { return random_bytes(100, number); };
  for (const uint32_t number : {4u, 1u, 0u, 7u, 1u})
    cache.keep({.buffer_id = 9, .number = number}, datagram(number), kArrival);
  const auto request = nack(9, {{0, 3}, {4, 1}, {6, 100}});
  const auto answer = cache.answer(1, *parse_request(Bytes(request).subspan(kOwnHeaderBytes)), kArrival);
  REQUIRE(answer.size() == 4);
  const uint32_t expected[] = {0, 1, 4, 7};
  for (size_t i = 0; i < 4; ++i) CHECK(same(join(answer[i]), datagram(expected[i])));
}

TEST_CASE("the cache forgets old frames, and keeps to its memory across the wrap of frame numbers") {
  PacketCache cache({.max_bytes = 1000, .at_once = 1 << 20});
  const auto has = [&](uint32_t frame, SteadyTime now) {
    const auto request = nack(frame, {{0, 1}});
    return !cache.answer(1, *parse_request(Bytes(request).subspan(kOwnHeaderBytes)), now).empty();
  };
  const auto frame_at = [](uint32_t index) { return (kBufferIdMask - 2 + index) & kBufferIdMask; };
  for (uint32_t i = 0; i < 6; ++i) cache.keep({.buffer_id = frame_at(i), .number = 0}, random_bytes(300, i), kArrival);
  CHECK_FALSE(has(frame_at(2), kArrival));  // three have room
  for (uint32_t i = 3; i < 6; ++i) CHECK(has(frame_at(i), kArrival));
  CHECK_FALSE(has(frame_at(5), kArrival + 501ms));
  cache.keep({.buffer_id = frame_at(6), .number = 0}, random_bytes(1001, 6), kArrival);  // more than all
  CHECK_FALSE(has(frame_at(6), kArrival));
  cache.clear();
  CHECK_FALSE(has(frame_at(5), kArrival));
}

TEST_CASE("a receiver gets a quarter of the stream again at most, whatever it requests, and others are not affected") {
  PacketCache cache({.max_bytes = 1 << 24, .at_once = 1000});
  const auto request = nack(1, {{0, 1000}});
  const auto ask = [&](uint32_t receiver) {
    size_t bytes = 0;
    for (const auto& packet : cache.answer(receiver, *parse_request(Bytes(request).subspan(kOwnHeaderBytes)), kArrival))
      bytes += packet.size();
    return bytes;
  };
  for (uint32_t i = 0; i < 100; ++i) cache.keep({.buffer_id = 1, .number = i}, random_bytes(1000, i), kArrival);
  CHECK(ask(1) == 25'000);
  CHECK(ask(1) == 0);
  CHECK(ask(2) == 25'000);
  for (uint32_t i = 100; i < 140; ++i) cache.keep({.buffer_id = 1, .number = i}, random_bytes(1000, i), kArrival);
  CHECK(ask(1) == 10'000);
  cache.forget(1);
}

TEST_CASE("requests of many receivers for the same frame leave as one") {
  TileRequestMerger merger;
  CHECK(merger.next_deadline() == std::nullopt);
  merger.add(1, Asked(5, false, {{10, 5}, {40, 1}}).request, kArrival);
  merger.add(1, Asked(5, false, {{12, 8}, {41, 1}}).request, kArrival);
  CHECK(merger.next(kArrival) == Merged{.state = 5, .ranges = {{10, 10}, {40, 2}}});
  CHECK(merger.next(kArrival) == std::nullopt);
  merger.add(1, Asked(6, false, {{1, 1}}).request, kArrival);
  CHECK(merger.next(kArrival + 19ms) == std::nullopt);
  CHECK(merger.next_deadline() == kArrival + 20ms);
  CHECK(merger.next(kArrival + 20ms) == Merged{.state = 6, .ranges = {{1, 1}}});
  CHECK(merger.received() == 3);
  CHECK(merger.passed_on() == 2);
}

TEST_CASE("requests for different frames leave apart, the oldest frames are dropped") {
  TileRequestMerger merger;
  for (uint32_t state = 1; state <= 6; ++state) merger.add(1, Asked(state, false, {{state, 1}}).request, kArrival);
  for (uint32_t state = 3; state <= 6; ++state)
    CHECK(merger.next(kArrival) == Merged{.state = state, .ranges = {{state, 1}}});
  CHECK(merger.next(kArrival) == std::nullopt);
}

TEST_CASE("receivers that join are answered by one picture in half a second") {
  TileRequestMerger merger;
  merger.add(1, Asked({}, true, {}).request, kArrival);
  merger.add(1, Asked(3, false, {{1, 1}}).request, kArrival);  // is in the whole picture
  CHECK(merger.next(kArrival) == Merged{.all = true});
  CHECK(merger.next(kArrival) == std::nullopt);
  for (uint32_t i = 0; i < 1000; ++i) merger.add(i, Asked({}, i % 2 == 0, {{0, 1}}).request, kArrival + 300ms);
  merger.add(1, Asked(4, false, {{2, 1}}).request, kArrival);
  CHECK(merger.next(kArrival + 100ms) == Merged{.state = 4, .ranges = {{2, 1}}});  // does not wait for it
  CHECK(merger.next(kArrival + 499ms) == std::nullopt);
  CHECK(merger.next_deadline() == kArrival + 500ms);
  CHECK(merger.next(kArrival + 500ms) == Merged{.all = true});
  CHECK(merger.next(kArrival + 2s) == std::nullopt);
}

TEST_CASE("merged ranges fit a request: the nearest are joined, and long ones are split") {
  TileRequestMerger merger;
  Ranges even, odd;
  for (uint32_t i = 0; i < 200; ++i) even.push_back({i * 100, 1});
  for (uint32_t i = 0; i < 100; ++i) odd.push_back({i * 100 + 3, 1});
  merger.add(1, Asked(1, false, even).request, kArrival);
  merger.add(1, Asked(1, false, odd).request, kArrival);
  const auto merged = merger.next(kArrival);
  REQUIRE(merged);
  CHECK(merged->ranges.size() == TileRequest::kMaxRanges);
  for (const Ranges& all : {even, odd})
    for (const PacketRange& one : all)
      CHECK(std::ranges::any_of(merged->ranges, [&](const PacketRange& range) {
        return one.first >= range.first && one.first < range.first + range.count;
      }));
  uint32_t tiles = 0;
  for (const PacketRange& range : merged->ranges) tiles += range.count;
  CHECK(tiles == 300 + 44 * 2);  // 44 gaps of two tiles are requested needlessly
  merger.add(1, Asked(2, false, {{0, 4095}, {4095, 4095}, {8190, 10}}).request, kArrival);
  CHECK(merger.next(kArrival + 1s) == Merged{.state = 2, .ranges = {{0, 4095}, {4095, 4095}, {8190, 10}}});
}

TEST_CASE("the selected sender's datagrams pass a relay unchanged, and nobody else's") {
  RelaySession relay({});
  const auto packetizer = own_packetizer(1), stranger = own_packetizer(1), other = own_packetizer(2);
  const auto bytes = random_bytes(kSmallFrame, 1), forged = random_bytes(kSmallFrame, 2);
  SteadyTime now = kArrival;
  for (int i = 0; i < 5; ++i, now += 16ms) {
    const auto sent = frame_of(*packetizer, i, bytes);
    CHECK(passed(relay, sent, now, host_at(1)) == sent);
    CHECK(passed(relay, frame_of(*stranger, i, forged), now, host_at(2)).empty());  // the same SSRC, another host
    CHECK(passed(relay, frame_of(*other, i, forged), now, host_at(1)).empty());     // another SSRC
    CHECK(passed(relay, {nack(7, {{0, 1}}), random_bytes(50, 9), {}}, now, host_at(1)).empty());
  }
  REQUIRE(relay.stream());
  CHECK(relay.stream()->width == 64);
  CHECK(relay.streams() == 1);
  CHECK(relay.frames() == 5);
  CHECK_FALSE(relay.opens_seal());
}

TEST_CASE("a sender that restarts takes over once the other is silent, and its stream is a new one") {
  RelaySession relay({});
  const auto first = own_packetizer(1), second = own_packetizer(2);
  const auto bytes = random_bytes(kSmallFrame, 1);
  passed(relay, frame_of(*first, 0, bytes), kArrival, host_at(1));
  CHECK(passed(relay, frame_of(*second, 0, bytes), kArrival + 20ms, host_at(1)).empty());
  const auto sent = frame_of(*second, 1, bytes);
  CHECK(passed(relay, sent, kArrival + 3s, host_at(1)) == sent);
  CHECK(relay.streams() == 2);
  CHECK(relay.sender().ssrc == 2);
  CHECK(relay.on_feedback(1, nack(7, {{0, 1}}, 1), kArrival + 3s).empty());  // of the former stream
}

TEST_CASE("a relay with the key opens a stream: its receivers get the datagrams that were sealed") {
  const auto bytes = random_bytes(kSmallFrame, 1);
  for (const CryptoChoice crypto : {CryptoChoice::texcast, CryptoChoice::ultragrid_gcm, CryptoChoice::ultragrid_ctr}) {
    CAPTURE(name(crypto));
    const auto sealed = frame_of(*own_packetizer(1, crypto), 0, bytes);
    RelaySession relay({.keys = keys(), .cipher = crypto, .max_age = {}});
    const auto out = passed(relay, sealed, kArrival, host_at(1));
    CHECK(out.size() == sealed.size());
    CHECK(relay.opens_seal());
    Bench receiver;  // without the key
    for (const Datagram& datagram : out) receiver.put(datagram);
    REQUIRE(receiver.shown.size() == 1);
    CHECK(same(receiver.shown[0].bytes, bytes));
    CHECK(receiver.counters().refused == 0);
    CHECK(passed(relay, sealed, kArrival, host_at(1)).size() == (crypto == CryptoChoice::texcast ? 0 : sealed.size()));

    RelaySession without({});
    CHECK(passed(without, sealed, kArrival, host_at(1)).empty());
    CHECK(without.last_refusal().why == Refusal::no_key);
    CHECK(without.stream() == std::nullopt);
  }
}

TEST_CASE("a relay requests what it lost, passes it on, and answers its receivers from what passed") {
  RelaySession relay({.request_lost = true});
  PacketizerSettings settings = small_settings();
  CompactPacketizer packetizer(compact_settings(), {.answers_requests = true});
  RetransmitStore store({.ssrc = 1, .at_once = 1 << 20});
  const Payloads payloads = payloads_of(1, 30, packetizer.max_payload());
  REQUIRE(payloads.size() > 4);
  packetizer.begin(pts_only(0ns));
  const auto sent = packetizer.add(views_of(payloads), static_cast<uint32_t>(payloads.size()));
  store.begin_frame(packetizer.buffer_id(), kArrival);
  store.keep(sent);
  std::vector<Datagram> all;
  for (const auto& packet : sent) all.push_back(join(packet));
  std::vector<Datagram> came = all;
  came.erase(came.begin() + 2);
  CHECK(passed(relay, came, kArrival, host_at(1)) == came);
  CHECK(relay.on_feedback(5, nack(packetizer.buffer_id(), {{2, 1}}), kArrival).empty());  // not here yet

  SteadyTime now = kArrival + 5ms;
  relay.poll(now, kWall);
  const auto request = relay.poll_feedback(now);
  REQUIRE(request);
  const auto again = store.answer(0, *request, now);
  REQUIRE(again.size() == 1);
  CHECK(passed(relay, {join(again[0])}, now, host_at(1)) == std::vector<Datagram>{all[2]});
  CHECK(relay.counters().recovered_retransmission == 1);

  const auto answer = relay.on_feedback(5, nack(packetizer.buffer_id(), {{2, 1}}), now);
  REQUIRE(answer.size() == 1);
  CHECK(same(join(answer[0]), all[2]));
  CHECK(relay.on_feedback(5, nack(packetizer.buffer_id(), {{2, 1}}, 77), now).empty());  // another SSRC
}

TEST_CASE("tile requests of a relay's receivers reach the sender as the relay's own, sealed if the stream is") {
  for (const bool sealed : {false, true}) {
    CAPTURE(sealed);
    PacketizerSettings settings = compact_settings();
    if (sealed) settings.reserved_bytes = kSealOverhead;
    CompactPacketizer packetizer(
        settings,
        {.answers_requests = true, .takes_tile_requests = true, .sealer = sealer_with(sealed ? keys() : nullptr)});
    RelaySession relay({.request_lost = true, .keys = sealed ? keys() : nullptr, .max_age = {}});
    passed(relay, datagrams(packetizer, payloads_of(1, 5, 300)), kArrival, host_at(1));
    for (uint32_t viewer = 1; viewer <= 20; ++viewer)
      CHECK(relay.on_feedback(viewer, Asked(packetizer.buffer_id(), false, {{viewer, 1}}).datagram, kArrival).empty());
    const auto request = relay.poll_feedback(kArrival);
    REQUIRE(request);
    FeedbackOpener sender(1, sealed ? keys() : nullptr);
    const auto asked = sender.read(*request);
    REQUIRE(asked.tiles);
    CHECK(asked.tiles->state == packetizer.buffer_id());
    REQUIRE(asked.tiles->ranges == 1);
    CHECK(asked.tiles->range(0) == PacketRange{1, 20});
    CHECK(relay.poll_feedback(kArrival) == std::nullopt);
    CHECK(relay.tile_requests() == 20);
    CHECK(relay.tile_requests_passed_on() == 1);
  }
}

TEST_CASE("sound passes from the picture's host only, and opened if there is a key") {
  const auto sample = random_bytes(480, 1);
  const Bytes channels[] = {sample};
  AudioPacketizerSettings settings{.channels = 1};
  AudioPacketizer plain(settings);
  std::vector<Datagram> sent;
  for (uint64_t i = 0; i < 8; ++i)
    for (const auto& packet :
         plain.packetize({.channels = channels, .samples = 240, .position = i * 240, .captured = {}}))
      sent.push_back(join(packet));
  SoundRelay relay({});
  std::vector<Datagram> out;
  for (const Datagram& datagram : sent) {
    CHECK_FALSE(relay.on_datagram(datagram, kWall, host_at(1), {}));
    CHECK_FALSE(relay.on_datagram(datagram, kWall, host_at(2), host_at(1)));
    const auto on = relay.on_datagram(datagram, kWall, host_at(1, 5006), host_at(1));
    REQUIRE(on);
    CHECK(same(*on, datagram));
  }
  CHECK_FALSE(relay.on_datagram(random_bytes(100, 3), kWall, host_at(1), host_at(1)));

  Sealer sealer(*keys());
  SoundRelay opens({.keys = keys(), .max_age = {}});
  for (const Datagram& datagram : sent) {
    Datagram sealed(datagram.size() + kSealOverhead);
    sealer.seal(datagram, {}, sealed, kWall);
    const auto on = opens.on_datagram(sealed, kWall, host_at(1), host_at(1));
    REQUIRE(on);
    CHECK(same(*on, datagram));
    CHECK_FALSE(opens.on_datagram(datagram, kWall, host_at(1), host_at(1)));  // not encrypted
    CHECK_FALSE(relay.on_datagram(sealed, kWall, host_at(1), host_at(1)));    // no key
  }
}
