// encrypting_test.cpp — packetizers that encrypt the packets of another one: output compared with input.
#include <doctest/doctest.h>

#include "support.h"
#include "transport/own_packet.h"
#include "transport/packet.h"
#include "transport/sealing.h"
#include "transport/ultragrid_cipher.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

std::shared_ptr<const WireKeys> some_keys() {
  return WireKeys::of({std::byte{1}, std::byte{2}}, {std::byte{3}, std::byte{4}});
}

// The datagrams of a frame without encryption, but with the space for it.
std::vector<Datagram> in_the_clear(PacketizerSettings settings, CryptoChoice crypto, Bytes frame) {
  settings.reserved_bytes = reserved_bytes(crypto);
  PlainPacketizer plain(settings);
  return datagrams(plain, frame);
}

// The type may be known or unknown: with a key, unencrypted datagrams of either are refused.
Datagram unsealed_own_datagram() {
  Datagram datagram(100);
  datagram[0] = std::byte{'T'};
  datagram[1] = std::byte{'C'};
  datagram[2] = std::byte{1};
  datagram[3] = std::byte{2};
  return datagram;
}

// The original of an encrypted datagram, as UltraGrid's receiver would restore it.
Datagram decipher(UltraGridCipher& cipher, Bytes datagram) {
  const auto rtp = parse_rtp(datagram);
  REQUIRE(rtp);
  REQUIRE(rtp->payload_type == 24);
  const size_t headers = datagram.size() - rtp->payload.size() + kVideoHeaderBytes;
  const auto crypto = parse_crypto_header(datagram.subspan(headers));
  REQUIRE(crypto);
  const Bytes blob = datagram.subspan(headers + kCryptoHeaderBytes);
  Datagram scratch(blob.size());
  const auto piece = cipher.open(crypto->mode, datagram.first(headers).last(kVideoHeaderBytes), blob, scratch);
  REQUIRE(piece);
  Datagram plain(datagram.begin(), datagram.begin() + static_cast<std::ptrdiff_t>(headers));
  plain[1] = (plain[1] & std::byte{0x80}) | std::byte{20};
  plain.insert(plain.end(), piece->begin(), piece->end());
  return plain;
}

}  // namespace

TEST_CASE("names of the encryption methods") {
  for (const CryptoChoice choice : kCryptoChoices) CHECK(*parse_crypto(name(choice)) == choice);
  CHECK(name(CryptoChoice::ultragrid_gcm) == "ultragrid-gcm");
  for (const std::string_view word : {"", "none", "gcm", "TEXCAST", "ultragrid-ecb"})
    CHECK(parse_crypto(word).error().message.find("ultragrid-cfb") != std::string::npos);
}

TEST_CASE("encrypted datagrams contain the original ones, fill the MTU, and do not exceed it") {
  const auto keys = some_keys();
  const auto frame = random_bytes(20'001, 3);
  for (const CryptoChoice crypto : kCryptoChoices)
    for (const bool extension : {true, false})
      for (const int block_bytes : {1, 16}) {
        CAPTURE(name(crypto));
        CAPTURE(extension);
        PacketizerSettings settings = small_settings();
        settings.mtu = 1500;
        settings.extension = extension;
        settings.block_bytes = block_bytes;
        const auto plain = in_the_clear(settings, crypto, frame);
        const auto packetizer = make_packetizer(settings, {.crypto = crypto, .keys = keys});
        Opener opener(keys);
        UltraGridCipher cipher(*keys);
        const auto sent = datagrams(*packetizer, frame);
        REQUIRE(sent.size() == plain.size());
        for (size_t i = 0; i < sent.size(); ++i) {
          CHECK(sent[i].size() <= 1500 - 28);
          if (i + 1 < sent.size()) CHECK(sent[i].size() == sent[0].size());
          if (crypto == CryptoChoice::texcast)
            CHECK(same(opener.open(sent[i], WallTime{}).datagram, plain[i]));
          else
            CHECK(same(decipher(cipher, sent[i]), plain[i]));
        }
        // CBC's padding takes 1 to 16 bytes of the 16 that are reserved for it.
        if (block_bytes == 1) CHECK(sent[0].size() >= 1500 - 28 - 15);
      }
}

TEST_CASE("encrypting packetizers pass bands on immediately, and allocate nothing after the first frame") {
  const auto keys = some_keys();
  const auto frame = random_bytes(300'000, 4);
  for (const CryptoChoice crypto : {CryptoChoice::texcast, CryptoChoice::ultragrid_cbc}) {
    const auto packetizer = make_packetizer(small_settings(), {.crypto = crypto, .keys = keys});
    Opener opener(keys);
    uint64_t allocated = 0;
    for (int round = 0; round < 3; ++round) {
      const uint64_t before = allocations();
      packetizer->begin(frame, pts_only(round * 16ms));
      const auto first = packetizer->advance(100'000);
      const auto nothing = packetizer->advance(100'000);
      const auto rest = packetizer->advance(frame.size());
      allocated = allocations() - before;
      CHECK(nothing.empty());
      CHECK(first.size() + rest.size() > 300'000 / 576);
      if (crypto != CryptoChoice::texcast) continue;
      for (const auto packets : {first, rest})  // the first ones have not changed
        for (const OutgoingPacket& packet : packets)
          CHECK(opener.open(packet.header, WallTime{}).outcome == Opener::Outcome::opened);
    }
    CHECK(allocated == 0);
  }
}

TEST_CASE("a receiver with the key shows a stream with any encryption") {
  const auto keys = some_keys();
  for (const CryptoChoice crypto : kCryptoChoices) {
    CAPTURE(name(crypto));
    const auto packetizer = make_packetizer(small_settings(), {.crypto = crypto, .keys = keys});
    Bench bench({.keys = keys, .cipher = crypto, .max_age = 0s});
    uint64_t packets = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      const auto frame = random_bytes(kSmallFrame, i);
      auto sent = datagrams(*packetizer, frame, pts_only(i * 16ms));
      std::ranges::reverse(sent);
      for (const Datagram& datagram : sent) bench.put(datagram);
      packets += sent.size();
      REQUIRE(bench.shown.size() == i + 1);
      CHECK(bench.shown[i].bytes == frame);
    }
    CHECK(bench.counters().packets == packets);
    CHECK(bench.counters().refused == 0);
  }
}

TEST_CASE("a receiver refuses packets without key, with another key, damaged, replayed, or not encrypted") {
  const auto keys = some_keys();
  const auto frame = random_bytes(kSmallFrame, 9);
  struct Row {
    CryptoChoice crypto;
    std::shared_ptr<const WireKeys> receiver;
    Refusal why;
    CryptoChoice cipher = CryptoChoice::texcast;  // that the receiver expects
    std::string_view named{};                     // that it should expect instead
  };
  const auto others = WireKeys::of({std::byte{9}}, {std::byte{9}});
  const Row rows[] = {
      {CryptoChoice::texcast, nullptr, Refusal::no_key},
      {CryptoChoice::ultragrid_gcm, nullptr, Refusal::no_key},
      {CryptoChoice::ultragrid_cbc, nullptr, Refusal::no_key},
      {CryptoChoice::texcast, others, Refusal::wrong_key},
      {CryptoChoice::ultragrid_gcm, others, Refusal::wrong_key, CryptoChoice::ultragrid_gcm},
      {CryptoChoice::ultragrid_cfb, others, Refusal::wrong_key, CryptoChoice::ultragrid_cfb},
      // With the right passphrase, but an unexpected cipher: that may be one that anybody can forge.
      {CryptoChoice::ultragrid_ctr, keys, Refusal::other_cipher, CryptoChoice::texcast, "ultragrid-ctr"},
      {CryptoChoice::ultragrid_gcm, keys, Refusal::other_cipher, CryptoChoice::texcast, "ultragrid-gcm"},
      {CryptoChoice::ultragrid_ctr, keys, Refusal::other_cipher, CryptoChoice::ultragrid_gcm, "ultragrid-ctr"},
      {CryptoChoice::texcast, keys, Refusal::other_cipher, CryptoChoice::ultragrid_gcm, "texcast"},
      {CryptoChoice::none, keys, Refusal::in_the_clear, CryptoChoice::ultragrid_cbc},
      {CryptoChoice::none, keys, Refusal::in_the_clear}};
  for (const Row& row : rows) {
    CAPTURE(name(row.crypto));
    const auto packetizer = make_packetizer(small_settings(), {.crypto = row.crypto, .keys = keys});
    Bench bench({.keys = row.receiver, .cipher = row.cipher, .max_age = 0s});
    const auto sent = datagrams(*packetizer, frame);
    for (const Datagram& datagram : sent) bench.put(datagram);
    bench.pass(1s);
    CHECK(bench.shown.empty());
    CHECK(bench.counters().refused == sent.size());
    CHECK(bench.counters().lost == 0);
    CHECK(bench.session.last_refusal().why == row.why);
    CHECK(bench.session.last_refusal().cipher == row.named);
  }

  const auto packetizer = make_packetizer(small_settings(), {.crypto = CryptoChoice::texcast, .keys = keys});
  Bench bench({.keys = keys, .max_age = 0s});
  auto sent = datagrams(*packetizer, frame);
  Datagram damaged = sent[0];
  damaged.back() ^= std::byte{1};
  bench.put(damaged);
  CHECK(bench.session.last_refusal().why == Refusal::wrong_key);
  for (int round = 0; round < 2; ++round)
    for (const Datagram& datagram : sent) bench.put(datagram);
  CHECK(bench.session.last_refusal().why == Refusal::replayed);
  CHECK(bench.shown.size() == 1);
  CHECK(bench.counters().packets == sent.size());
  CHECK(bench.counters().refused == sent.size() + 1);
  CHECK(bench.counters().duplicate == 0);
  bench.put(unsealed_own_datagram());
  CHECK(bench.session.last_refusal().why == Refusal::in_the_clear);
}

TEST_CASE("encrypted packets with headers of other sizes and short ones are refused at every length") {
  const auto keys = some_keys();
  const auto packetizer = make_packetizer(small_settings(), {.crypto = CryptoChoice::ultragrid_cbc, .keys = keys});
  const auto sent = datagrams(*packetizer, random_bytes(kSmallFrame, 9));
  Bench bench({.keys = keys, .cipher = CryptoChoice::ultragrid_cbc});
  for (const int type : {24, 29, 30})
    for (size_t size = kRtpHeaderBytes; size <= sent[1].size(); ++size) {
      if (type == 24 && size == sent[1].size()) continue;  // that is the complete one
      Datagram cut(sent[1].begin(), sent[1].begin() + static_cast<std::ptrdiff_t>(size));
      cut[1] = static_cast<std::byte>(type);
      bench.put(cut);
    }
  CHECK(bench.counters().refused == 3 * (sent[1].size() - kRtpHeaderBytes + 1) - 1);
  bench.put(sent[1]);
  CHECK(bench.counters().packets == 1);
}

namespace {

// Frames of one sealed session, sent from `began` on.
struct SealedStream {
  SealedStream(uint32_t ssrc, WallTime began)
      : packetizer(make_packetizer(small_settings(ssrc), {.crypto = CryptoChoice::texcast, .keys = some_keys()})),
        sent(began),
        seed(ssrc * 1000) {}
  std::vector<Datagram> next() {
    FrameTimes times = pts_only(frames.size() * 16ms);
    times.sent = sent;
    sent += 16ms;
    frames.push_back(random_bytes(kSmallFrame, seed++));
    return datagrams(*packetizer, frames.back(), times);
  }
  std::unique_ptr<FramePacketizer> packetizer;
  WallTime sent;
  uint32_t seed;
  std::vector<std::vector<std::byte>> frames;
};

void put_each(Bench& bench, const std::vector<Datagram>& packets) {
  for (const Datagram& packet : packets) bench.put(packet);
}

}  // namespace

TEST_CASE("a recording of an older sealed stream is not shown by a new receiver, and does not block it") {
  for (const nanoseconds age : {nanoseconds(61s), nanoseconds(24h)}) {
    Bench bench({.keys = some_keys()});
    SealedStream yesterday(1, bench.wall() - age), today(2, bench.wall());
    const auto recording = yesterday.next();
    put_each(bench, recording);
    CHECK(bench.shown.empty());
    CHECK(bench.session.last_refusal().why == Refusal::too_old);
    CHECK(bench.session.last_refusal().seconds == age / 1s);
    put_each(bench, today.next());
    put_each(bench, yesterday.next());
    REQUIRE(bench.shown.size() == 1);
    CHECK(bench.shown[0].bytes == today.frames[0]);
    CHECK(bench.counters().foreign == 0);
  }
}

TEST_CASE("a sealed time up to a minute off is accepted, beyond that reported with its sign; 0: not checked") {
  struct Row {
    nanoseconds ahead, max_age;
    Refusal why;
  };
  const Row rows[] = {{0s, 60s, Refusal::none},
                      {60s, 60s, Refusal::none},
                      {-60s, 60s, Refusal::none},
                      {61s, 60s, Refusal::from_the_future},
                      {-61s, 60s, Refusal::too_old},
                      {-300s, 301s, Refusal::none},
                      {300s, 299s, Refusal::from_the_future},
                      {10'000h, 0s, Refusal::none},
                      {-10'000h, 0s, Refusal::none}};
  for (const Row& row : rows) {
    CAPTURE(row.ahead.count());
    Bench bench({.keys = some_keys(), .max_age = row.max_age});
    SealedStream stream(1, bench.wall() + row.ahead);
    put_each(bench, stream.next());
    CHECK(bench.session.last_refusal().why == row.why);
    CHECK(bench.shown.size() == (row.why == Refusal::none));
  }
}

TEST_CASE("setting a clock, on either side, does not end a sealed stream that is shown") {
  Bench bench({.keys = some_keys()});
  SealedStream stream(1, bench.wall());
  put_each(bench, stream.next());
  stream.sent += 24h;
  put_each(bench, stream.next());
  stream.sent -= 48h;
  put_each(bench, stream.next());
  bench.now += 3600s;
  put_each(bench, stream.next());
  CHECK(bench.shown.size() == 4);
  CHECK(bench.counters().refused == 0);
}

TEST_CASE("of two sealed sessions the one that began later is shown at once, and the older one does not come back") {
  Bench bench({.keys = some_keys()});
  SealedStream first(1, bench.wall() - 30s), second(2, bench.wall() - 10s);
  put_each(bench, first.next());
  put_each(bench, second.next());
  put_each(bench, first.next());
  put_each(bench, second.next());
  REQUIRE(bench.shown.size() == 3);
  CHECK(bench.shown[0].bytes == first.frames[0]);
  CHECK(bench.shown[1].bytes == second.frames[0]);
  CHECK(bench.shown[2].bytes == second.frames[1]);
  CHECK(bench.session.sender().count == 2);
  CHECK(bench.session.sender().displaced);
  bench.pass(250ms);  // the newer one has gone: as usual
  put_each(bench, first.next());
  CHECK(bench.shown.back().bytes == first.frames.back());
}

TEST_CASE("sealed packets belong to their session, whatever address they come from") {
  Bench bench({.keys = some_keys()});
  SealedStream stream(1, bench.wall());
  for (int i = 0; i < 10; ++i)
    for (const Datagram& packet : stream.next()) {
      const PeerAddress from{.port = static_cast<uint16_t>(1 + packet.size() % 3 + i % 2)};
      bench.session.on_datagram(packet, bench.now, bench.wall(), from);
      bench.collect();
      bench.session.on_datagram(packet, bench.now, bench.wall(), PeerAddress{.port = 99});  // replayed from elsewhere
      bench.collect();
    }
  CHECK(bench.shown.size() == 10);
  CHECK(bench.counters().foreign == 0);
  CHECK(bench.counters().refused == bench.counters().packets);
  CHECK(bench.session.sender().count == 1);
}

TEST_CASE("datagrams sealed by an older texcast are recognised, with a key and without") {
  Datagram old(200);
  old[0] = std::byte{'T'};
  old[1] = std::byte{'C'};
  old[2] = old[3] = std::byte{1};
  for (const auto& keys : {std::shared_ptr<const WireKeys>(), some_keys()}) {
    Bench bench({.keys = keys});
    bench.put(old);
    CHECK(bench.counters().refused == 1);
    CHECK(bench.session.last_refusal().why == Refusal::old_sealing);
  }
}

TEST_CASE("sealed packets of texcast's wire format carry 1344 bytes of a frame, and fill the rest of 1500") {
  PacketizerSettings settings = small_settings();
  settings.mtu = 1500;
  settings.stream.width = settings.stream.height = 256;
  const WireChoice wire{.fec = parse_fec("10%").value(), .crypto = CryptoChoice::texcast, .keys = some_keys()};
  const auto packetizer = make_packetizer(settings, wire);
  const auto sent = datagrams(*packetizer, random_bytes(256 * 256 / 2, 1));
  REQUIRE(sent.size() > 20);
  CHECK(sent[0].size() == 1344 + kParityHeaderBytes + kSealOverhead);
  CHECK(kSealOverhead == 44);
  Opener opener(some_keys());
  const auto plain = opener.open(sent[0], WallTime{});
  REQUIRE(plain.outcome == Opener::Outcome::opened);
  const auto rtp = parse_rtp(plain.datagram);
  REQUIRE(rtp);
  CHECK(parse_stream_extension(rtp->extension)->symbol_bytes == 1344);
}
