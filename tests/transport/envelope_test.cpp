// Repair by the counters of envelopes, between a relay without the key and its receivers: the datagrams, which counters
// are requested and when, what a relay stores and answers, and what forged datagrams can cause.
#include <doctest/doctest.h>

#include "compact_support.h"
#include "support.h"
#include "transport/envelope_cache.h"
#include "transport/envelope_gaps.h"
#include "transport/envelope_packet.h"
#include "transport/relay_session.h"
#include "transport/sealing.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr SteadyTime kStart{1s};
constexpr WallTime kStartWall = WallTime(1'700'000'000s);
using Counters = std::vector<CounterRange>;

std::shared_ptr<const WireKeys> envelope_keys() { return WireKeys::of({std::byte{1}}, {std::byte{2}}); }
PeerAddress machine_at(uint8_t last) {
  const std::array<std::byte, 4> bytes{std::byte{10}, std::byte{0}, std::byte{0}, std::byte{last}};
  return PeerAddress::of_ipv4(bytes, 5004);
}
WallTime start_wall_at(SteadyTime now) { return kStartWall + (now - kStart); }

Datagram list_of(OwnType type, uint64_t session, const Counters& ranges) {
  Datagram datagram(kMostEnvelopeListBytes);
  datagram.resize(write_envelope_list(datagram, type, session, ranges));
  return datagram;
}
Datagram offer_of(uint64_t session, const Counters& lacking = {}) {
  return list_of(OwnType::envelope_repair, session, lacking);
}
Datagram nack_of(uint64_t session, const Counters& ranges) {
  return list_of(OwnType::envelope_request, session, ranges);
}
Bytes body_of(const Datagram& datagram) { return Bytes(datagram).subspan(kOwnHeaderBytes); }
Counters ranges_of(const EnvelopeList& list) {
  Counters ranges;
  for (size_t i = 0; i < list.ranges; ++i) ranges.push_back(list.range(i));
  return ranges;
}
bool is_of_type(Bytes datagram, OwnType type) {
  const auto own = parse_own_datagram(datagram);
  return own && own->type == static_cast<uint8_t>(type);
}

struct AskedGaps {
  explicit AskedGaps(uint64_t session = 7) {
    gaps.follow(session);
    offer(session, {}, kStart);
  }
  bool offer(uint64_t session, const Counters& lacking, SteadyTime now) {
    const Datagram datagram = offer_of(session, lacking);
    return gaps.offered(*parse_envelope_repair(body_of(datagram)), now, machine_at(1));
  }
  Counters due(SteadyTime now) {
    const auto ranges = gaps.due(now, [](uint64_t) { return true; });
    return {ranges.begin(), ranges.end()};
  }
  EnvelopeGaps gaps;
};

// A sealed coded stream: the datagrams of each frame.
struct EnvelopeStream {
  EnvelopeStream() {
    PacketizerSettings settings = compact_settings(1);
    settings.reserved_bytes = static_cast<int>(kSealOverhead);
    settings.mtu = 800;
    packetizer = std::make_unique<CompactPacketizer>(
        settings, CompactSettings{.answers_requests = true, .sealer = sealer_with(envelope_keys())});
  }
  std::vector<Datagram> frame(int number, SteadyTime now) {
    const Payloads payloads = payloads_of(number, 30, packetizer->max_payload());
    FrameTimes times = pts_only(number * nanoseconds(16'666'667));
    times.available = times.encoded = times.sent = start_wall_at(now);
    packetizer->begin(times);
    std::vector<Datagram> out;
    for (const OutgoingPacket& packet : packetizer->add(views_of(payloads), static_cast<uint32_t>(payloads.size())))
      out.push_back(join(packet));
    return out;
  }
  std::unique_ptr<CompactPacketizer> packetizer;
};
uint64_t envelope_session(const Datagram& sealed) { return KeylessPassage::read(sealed)->stream; }
uint64_t envelope_counter(const Datagram& sealed) { return KeylessPassage::read(sealed)->counter; }

}  // namespace

TEST_CASE("envelope lists are parsed as written, within bounds; invalid ones are refused") {
  const Counters ranges{{1000, 1}, {1002, 5}, {1000 + EnvelopeList::kMaxReach, 3}};
  const Datagram datagram = nack_of(0x1122334455667788, ranges);
  const auto list = parse_envelope_request(body_of(datagram));
  REQUIRE(list);
  CHECK(list->session == 0x1122334455667788);
  CHECK(ranges_of(*list) == ranges);
  CHECK(parse_envelope_repair(body_of(datagram)));
  CHECK(parse_envelope_repair(body_of(offer_of(5))));
  CHECK_FALSE(parse_envelope_request(body_of(offer_of(5))));  // asks for nothing
  for (size_t bytes = 0; bytes < datagram.size() - kOwnHeaderBytes; ++bytes)
    CHECK_FALSE(parse_envelope_request(body_of(datagram).first(bytes)));

  const auto refused = [&](size_t at, uint16_t value) {
    Datagram changed = datagram;
    store_be16(changed, at, value);
    return !parse_envelope_request(body_of(changed));
  };
  CHECK(refused(20, EnvelopeList::kMaxRanges + 1));
  CHECK(refused(24 + 2, 0));     // an empty range
  CHECK(refused(24 + 2, 3));     // overlaps the next one
  CHECK(refused(32 + 2, 2000));  // too many
  Datagram wraps = datagram;
  store_be64(wraps, 12, UINT64_MAX - 3);
  CHECK_FALSE(parse_envelope_request(body_of(wraps)));

  Counters many;
  for (uint64_t i = 0; i < 100; ++i) many.push_back({2 * i, 1});
  const auto written = [&](const Counters& all) {
    const Datagram bounded = nack_of(1, all);
    return ranges_of(*parse_envelope_request(body_of(bounded)));
  };
  CHECK(written(many).size() == EnvelopeList::kMaxRanges);
  CHECK(written({{0, 1 << 20}}) == Counters{{0, EnvelopeList::kMaxCounters}});
  CHECK(written({{0, 1}, {1 << 17, 1}}) == Counters{{0, 1}});
}

TEST_CASE("missing counters are requested after the time of reordering, and again after a round trip") {
  AskedGaps asked;
  SteadyTime now = kStart;
  asked.gaps.arrived(10, now);
  asked.gaps.arrived(12, now);
  asked.gaps.arrived(16, now);
  CHECK(asked.gaps.next_look() == now + 1ms);
  asked.gaps.arrived(14, now);  // reordered
  CHECK(asked.due(now).empty());
  CHECK(asked.due(now += 1ms) == Counters{{11, 1}, {13, 1}, {15, 1}});
  CHECK(asked.due(now + 1ms).empty());
  now += 4ms;
  CHECK(asked.gaps.arrived(13, now));
  CHECK_FALSE(asked.gaps.arrived(13, now));
  CHECK(asked.due(kStart + 12ms).empty());
  CHECK(asked.due(kStart + 13ms) == Counters{{11, 1}, {15, 1}});  // 4 ms, and four times a deviation of 2
  asked.gaps.forget_up_to(12);
  CHECK(asked.due(kStart + 200ms) == Counters{{15, 1}});
  CHECK(asked.due(kStart + EnvelopeGaps::kKeepFor).empty());
  CHECK(asked.gaps.missing() == 0);
  CHECK_FALSE(asked.gaps.next_look());
}

TEST_CASE("only a relay's offer for the followed session makes requests go out, for two seconds") {
  AskedGaps asked;
  CHECK(asked.gaps.is_offered(kStart, machine_at(1)));
  CHECK_FALSE(asked.gaps.is_offered(kStart, machine_at(2)));
  CHECK_FALSE(asked.gaps.is_offered(kStart + EnvelopeGaps::kOfferHolds, machine_at(1)));
  CHECK_FALSE(asked.offer(8, {}, kStart + 1s));
  CHECK_FALSE(asked.gaps.is_offered(kStart + EnvelopeGaps::kOfferHolds, machine_at(1)));
  asked.gaps.follow(8);
  CHECK_FALSE(asked.gaps.is_offered(kStart, machine_at(1)));
  asked.gaps.arrived(1, kStart);
  asked.gaps.arrived(3, kStart);
  CHECK_FALSE(asked.gaps.next_look());
  CHECK(asked.offer(8, {}, kStart));
  CHECK(asked.gaps.next_look() == kStart + 1ms);
}

TEST_CASE("what the relay lacks is requested less often, and needless counters are not") {
  AskedGaps asked;
  asked.gaps.arrived(10, kStart);
  asked.gaps.arrived(13, kStart);
  const auto only_12 = asked.gaps.due(kStart + 1ms, [](uint64_t counter) { return counter == 12; });
  CHECK(Counters(only_12.begin(), only_12.end()) == Counters{{12, 1}});
  CHECK(asked.gaps.awaits(12));
  CHECK(asked.offer(7, {{12, 1}}, kStart + 3ms));  // a round trip of 2 ms, and a deviation of 1
  CHECK_FALSE(asked.gaps.awaits(12));
  CHECK(asked.due(kStart + 7ms) == Counters{{11, 1}});
  CHECK(asked.due(kStart + 25ms) == Counters{{11, 2}});
}

TEST_CASE("the memory for gaps is bounded, and a single counter far ahead changes nothing") {
  AskedGaps asked;
  asked.gaps.arrived(0, kStart);
  for (uint64_t i = 1; i < 10'000; ++i) asked.gaps.arrived(2 * i, kStart);
  CHECK(asked.gaps.missing() == EnvelopeGaps::kMostGaps);
  CHECK_FALSE(asked.gaps.arrived(uint64_t{1} << 40, kStart));
  CHECK(asked.gaps.missing() == EnvelopeGaps::kMostGaps);
  asked.gaps.arrived(20'000, kStart);  // the stream goes on
  CHECK(asked.gaps.missing() == EnvelopeGaps::kMostGaps);
  asked.gaps.arrived(uint64_t{1} << 41, kStart);
  asked.gaps.arrived((uint64_t{1} << 41) + 2, kStart);  // or it has jumped
  asked.gaps.arrived((uint64_t{1} << 41) + 4, kStart);
  CHECK(asked.gaps.missing() == 1);
  for (uint64_t i = 0; i < 20; ++i) asked.gaps.arrived(30'000 + 2 * i, kStart);  // that jump was forged
  CHECK(asked.gaps.missing() < 20);
  CHECK(asked.gaps.missing() > 0);
  uint64_t requested = 0;
  for (SteadyTime now = kStart; now < kStart + 200ms; now += 1ms)
    for (const CounterRange& range : asked.due(now)) requested += range.count;
  CHECK(requested > 0);
}

TEST_CASE("a relay without the key answers with the envelopes that it has, and says which it lacks") {
  EnvelopeCache cache;
  const auto nothing_awaited = [](uint64_t) { return false; };
  for (uint64_t counter : {5, 3, 4, 8}) cache.keep(counter, random_bytes(200, static_cast<uint32_t>(counter)), kStart);
  cache.keep(5, random_bytes(200, 99), kStart);  // the first one stays
  const Datagram nack = nack_of(7, {{3, 4}, {8, 1}});
  const auto list = parse_envelope_request(body_of(nack));
  const auto again = cache.answer(1, *list, kStart + 1ms, nothing_awaited);
  REQUIRE(again.size() == 5);
  for (size_t i = 0; i < 4; ++i) CHECK(same(join(again[i]), random_bytes(200, std::array{3U, 4U, 5U, 8U}[i])));
  const Datagram lacks = join(again[4]);
  REQUIRE(is_of_type(lacks, OwnType::envelope_repair));
  CHECK(ranges_of(*parse_envelope_repair(body_of(lacks))) == Counters{{6, 1}});
  CHECK(cache.answer(2, *list, kStart + 1ms, [](uint64_t counter) { return counter == 6; }).size() == 4);
  CHECK(cache.sent_again() == 8);
  const PacketCacheSettings settings;
  CHECK(cache.answer(3, *list, kStart + settings.keep_for + 1ms, nothing_awaited).size() == 1);  // too old
}

TEST_CASE("a relay stores bounded envelopes of the last half second, and a flood gets a quarter of the stream") {
  EnvelopeCache cache({.max_bytes = 1 << 20});
  SteadyTime now = kStart;
  size_t passed = 0, flooded = 0, others = 0;
  for (uint64_t counter = 0; counter < 5000; ++counter, now += 200us) {
    cache.keep(counter, random_bytes(1000, 1), now);
    passed += 1000;
    const auto ask = [&](uint32_t receiver, uint64_t first, uint32_t count) {
      const Datagram nack = nack_of(7, {{first, count}});
      size_t bytes = 0;
      for (const OutgoingPacket& packet :
           cache.answer(receiver, *parse_envelope_request(body_of(nack)), now, [](uint64_t) { return false; }))
        bytes += packet.size();
      return bytes;
    };
    flooded += ask(1, counter > 500 ? counter - 500 : 0, 500);
    if (counter % 50 == 0) others += ask(2, counter, 1);
  }
  CHECK(cache.bytes() <= 1 << 20);
  CHECK(cache.bytes() > 1 << 19);
  CHECK(flooded <= passed / 4 + (1 << 16) / 4 + 4096);
  CHECK(flooded > passed / 5);
  CHECK(others == 100 * 1000);
}

TEST_CASE("an envelope NACK for another session gets nothing, and offers follow the stream") {
  RelaySession relay({.request_lost = true, .max_age = 0s}, {}, {.keeps_seal = true});
  EnvelopeStream stream;
  const auto first = stream.frame(0, kStart);
  for (const Datagram& datagram : first)
    REQUIRE(relay.on_datagram(datagram, kStart, start_wall_at(kStart), machine_at(1)));
  const uint64_t session = envelope_session(first[0]);
  const Counters two{CounterRange{envelope_counter(first[1]), 2}};
  CHECK(relay.on_feedback(1, nack_of(session + 1, two), kStart).empty());
  CHECK(relay.on_feedback(1, offer_of(session), kStart).empty());
  const auto again = relay.on_feedback(1, nack_of(session, two), kStart);
  REQUIRE(again.size() == 2);
  CHECK(same(join(again[0]), first[1]));
  CHECK(relay.sent_again() == 2);
  CHECK_FALSE(relay.poll_feedback(kStart));  // nothing of it is the sender's business

  int offers = 0;
  for (SteadyTime now = kStart; now < kStart + 10s; now += 10ms) {
    if (now < kStart + 5s) {
      const auto frame = stream.frame(1, now);
      relay.on_datagram(frame[0], now, start_wall_at(now), machine_at(1));
    }
    if (const auto due = relay.next_deadline(); due && *due > now) continue;
    relay.poll(now, start_wall_at(now));
    for (const OutgoingPacket& packet : relay.poll_made()) {
      REQUIRE(is_of_type(join(packet), OwnType::envelope_repair));
      ++offers;
    }
  }
  CHECK(offers >= 13);  // three more at the beginning, and for a second after the stream's end
  CHECK(offers <= 17);
  CHECK_FALSE(relay.next_deadline());
}

TEST_CASE("a relay that does not answer NACKs offers and answers no repair") {
  RelaySession relay({.max_age = 0s}, {}, {.keeps_seal = true, .hop = {.answers = false}});
  EnvelopeStream stream;
  const auto first = stream.frame(0, kStart);
  for (const Datagram& datagram : first) relay.on_datagram(datagram, kStart, start_wall_at(kStart), machine_at(1));
  relay.poll(kStart, start_wall_at(kStart));
  CHECK(relay.poll_made().empty());
  CHECK(relay.on_feedback(1, nack_of(envelope_session(first[0]), {{envelope_counter(first[1]), 2}}), kStart).empty());
}

TEST_CASE("relays without the key behind each other repair the hop between them") {
  RelaySession above({.request_lost = true, .max_age = 0s}, {}, {.keeps_seal = true});
  RelaySession below({.request_lost = true, .max_age = 0s}, {}, {.keeps_seal = true});
  EnvelopeStream stream;
  SteadyTime now = kStart;
  size_t sent = 0, lost = 0, passed = 0;
  const auto to_below = [&](Bytes datagram) {
    if (below.on_datagram(datagram, now, start_wall_at(now), machine_at(2))) ++passed;
  };
  for (int i = 0; i < 20; ++i)
    for (const Datagram& datagram : stream.frame(i, now)) {
      now += 1ms;
      const auto on = above.on_datagram(datagram, now, start_wall_at(now), machine_at(1));
      REQUIRE(on);
      if (++sent % 10 == 5)
        ++lost;
      else
        to_below(*on);
      above.poll(now, start_wall_at(now));
      for (const OutgoingPacket& packet : above.poll_made()) to_below(join(packet));
      while (const auto request = below.poll_feedback(now)) {
        CHECK(is_of_type(*request, OwnType::envelope_request));
        for (const OutgoingPacket& packet : above.on_feedback(1, *request, now)) to_below(join(packet));
      }
    }
  CHECK(lost > 20);
  CHECK(passed + 1 >= sent);
  CHECK(above.sent_again() + 1 >= lost);
  CHECK(below.keyless().lost() == 0);
}

TEST_CASE("a receiver believes an offer only from the sender's address and for its session") {
  ReceiveSession session({.request_lost = true, .keys = envelope_keys(), .max_age = 0s});
  EnvelopeStream stream;
  const auto first = stream.frame(0, kStart);
  const auto put = [&](const Datagram& datagram, const PeerAddress& from) {
    session.on_datagram(datagram, kStart, start_wall_at(kStart), from);
  };
  const uint64_t id = envelope_session(first[0]);
  put(offer_of(id), machine_at(1));  // before the stream
  CHECK(session.counters().foreign == 1);
  put(first[0], machine_at(1));
  put(offer_of(id), machine_at(2));
  put(offer_of(id + 1), machine_at(1));
  CHECK(session.counters().foreign == 3);
  put(first[2], machine_at(1));
  const auto asks_relay = [&](SteadyTime now) {
    bool asks = false;
    while (const auto request = session.poll_feedback(now)) asks |= is_of_type(*request, OwnType::envelope_request);
    return asks;
  };
  CHECK_FALSE(asks_relay(kStart + 2ms));
  put(offer_of(id), machine_at(1));
  CHECK(session.counters().beside == 1);
  put(first[4], machine_at(1));
  CHECK(asks_relay(kStart + 2ms));
  Datagram damaged = offer_of(id, {{1, 1}});
  damaged.pop_back();
  put(damaged, machine_at(1));
  CHECK(session.counters().malformed == 1);
  CHECK(session.counters().refused == 0);
}

TEST_CASE("receivers that do not know a datagram of a relay count it as refused or foreign, not as malformed") {
  Datagram unknown = offer_of(7);
  unknown[3] = std::byte{13};
  ReceiveSession sealed({.request_lost = true, .keys = envelope_keys(), .max_age = 0s}), plain({.request_lost = true});
  for (ReceiveSession* session : {&sealed, &plain}) {
    session->on_datagram(unknown, kStart, kStartWall, machine_at(1));
    CHECK(session->counters().malformed == 0);
  }
  CHECK(sealed.counters().refused == 1);
  CHECK(plain.counters().foreign == 1);
  plain.on_datagram(offer_of(7), kStart, kStartWall, machine_at(1));
  CHECK(plain.counters().foreign == 2);
}

TEST_CASE("forged offers cost a stream nothing but bounded requests, and the sender is asked all the same") {
  ReceiveSession session({.request_lost = true, .keys = envelope_keys(), .max_age = 0s});
  EnvelopeStream stream;
  SteadyTime now = kStart;
  uint64_t sent = 0, counters = 0, sealed = 0, late_counters = 0;
  for (int i = 0; i < 300; ++i) {  // five seconds, 10 % lost, nobody answers envelope NACKs
    for (const Datagram& datagram : stream.frame(i, now)) {
      now += 1ms;
      if (++sent % 10 != 5) session.on_datagram(datagram, now, start_wall_at(now));
      if (sent % 100 == 7) session.on_datagram(offer_of(envelope_session(datagram)), now, start_wall_at(now));
      while (session.poll(now, start_wall_at(now))) {
      }
      while (const auto request = session.poll_feedback(now)) {
        sealed += is_sealed(*request) ? 1 : 0;
        if (!is_of_type(*request, OwnType::envelope_request)) continue;
        for (const CounterRange& range : ranges_of(*parse_envelope_request(request->subspan(kOwnHeaderBytes)))) {
          counters += range.count;
          if (now > kStart + 2s) late_counters += range.count;
        }
      }
    }
  }
  CHECK(counters > 16);
  CHECK(counters < 64 + sent / 4);
  CHECK(late_counters <= 8);  // it has noticed: one a second
  CHECK(sealed > 16);
}
