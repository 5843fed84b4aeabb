// Packetizers with helpers: any number of threads makes the same datagrams as one.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "secret_keys.h"
#include "support.h"
#include "transport/own_packetizer.h"
#include "transport/receive_session.h"
#include "transport/sealing.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr int kThreads[] = {0, 1, 2, 4, 7};

struct HelpedRow {
  const char* fec;
  int mtu;
  size_t bytes;
};
constexpr HelpedRow kHelpedRows[] = {
    {"10%", 1500, 1},        {"10%", 1500, 1392},       {"10%", 1500, 260'001},
    {"10%", 576, 500'000},   {"100%", 1500, 300'000},   {"10%", 1500, 4'200'000},
    {"none", 1500, 300'000}, {"mult:2", 1500, 200'000}, {"ultragrid-rs:20:24", 1500, 100'000},
};

PacketizerSettings helped_settings(int mtu) {
  PacketizerSettings settings = small_settings();
  settings.mtu = mtu;
  return settings;
}

// In bands, like a sender: final bytes are announced before packets are taken for fewer bytes.
std::vector<Datagram> sent_in_bands(FramePacketizer& packetizer, Bytes frame, size_t band, size_t slice) {
  std::vector<Datagram> all;
  packetizer.begin(frame, {});
  size_t given = 0;
  for (size_t ready = 0; ready < frame.size();) {
    ready = std::min(ready + band, frame.size());
    packetizer.prepare(ready);
    while (given < ready) {
      given = std::min(given + slice, ready);
      for (const OutgoingPacket& packet : packetizer.advance(given)) all.push_back(join(packet));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("texcast's packetizer makes the same datagrams with any threads, in bands and at once") {
  for (const HelpedRow& row : kHelpedRows) {
    CAPTURE(row.fec);
    CAPTURE(row.bytes);
    const WireChoice wire{.fec = parse_fec(row.fec).value(), .answers_requests = true};
    for (const int threads : kThreads) {
      CAPTURE(threads);
      WorkAhead helpers(threads);
      const auto alone = make_packetizer(helped_settings(row.mtu), wire);
      const auto helped = make_packetizer(helped_settings(row.mtu), wire, &helpers);
      for (uint32_t frame = 0; frame < 3; ++frame) {
        const auto bytes = random_bytes(row.bytes, frame);
        const auto want = datagrams(*alone, bytes);
        const auto got = frame == 0 ? datagrams(*helped, bytes)
                                    : sent_in_bands(*helped, bytes, row.bytes / (3 * frame) + 1, size_t{1} << 17);
        REQUIRE(got == want);
      }
    }
  }
}

TEST_CASE("sealed datagrams are those of one thread, their counters in order, with any threads") {
  const auto keys = secret_keys();
  for (const HelpedRow& row : kHelpedRows) {
    CAPTURE(row.fec);
    CAPTURE(row.bytes);
    PacketizerSettings inner = helped_settings(row.mtu);
    inner.reserved_bytes = kSealOverhead;
    const WireChoice plain{.fec = parse_fec(row.fec).value(), .answers_requests = true};
    WireChoice wire = plain;
    wire.crypto = CryptoChoice::texcast;
    wire.keys = keys;
    for (const int threads : kThreads) {
      CAPTURE(threads);
      WorkAhead helpers(threads);
      const auto alone = make_packetizer(inner, plain);
      const auto helped = make_packetizer(helped_settings(row.mtu), wire, &helpers);
      Opener opener(keys);
      uint64_t counter = 0;
      for (uint32_t frame = 0; frame < 3; ++frame) {
        const auto bytes = random_bytes(row.bytes, frame);
        const auto want = datagrams(*alone, bytes);
        const auto got = frame == 0 ? datagrams(*helped, bytes)
                                    : sent_in_bands(*helped, bytes, row.bytes / (3 * frame) + 1, size_t{1} << 17);
        REQUIRE(got.size() == want.size());
        for (size_t i = 0; i < got.size(); ++i) {
          REQUIRE(load_be64(got[i], 12) == counter++);
          const auto opened = opener.open(got[i], WallTime{});
          REQUIRE(opened.outcome == Opener::Outcome::opened);
          REQUIRE(same(opened.datagram, want[i]));
        }
      }
    }
  }
}

TEST_CASE("a frame abandoned half way is no longer used by helpers, and the next one is complete") {
  const auto keys = secret_keys();
  for (const CryptoChoice crypto : {CryptoChoice::none, CryptoChoice::texcast}) {
    WorkAhead helpers(2);
    const WireChoice wire{.fec = parse_fec("10%").value(), .crypto = crypto, .keys = keys};
    PacketizerSettings inner = helped_settings(1500);
    inner.reserved_bytes = crypto == CryptoChoice::none ? 0 : kSealOverhead;
    const auto packetizer = make_packetizer(helped_settings(1500), wire, &helpers);
    const auto alone = make_packetizer(inner, {.fec = wire.fec});
    Opener opener(keys);
    for (uint32_t round = 0; round < 10; ++round) {
      {
        const auto gone = random_bytes(2'000'000, round);
        packetizer->begin(gone, {});
        packetizer->prepare(gone.size());
        helpers.finish();  // the frame is not used from here on
      }
      const auto bytes = random_bytes(1'000'000 + round * 10'000, round);
      const auto got = datagrams(*packetizer, bytes);
      const auto want = datagrams(*alone, bytes);
      REQUIRE(got.size() == want.size());
      // Their sequence numbers differ by those of the other frame; the payload at the end does not.
      for (size_t i = 0; i < got.size(); ++i) {
        const Bytes datagram = crypto == CryptoChoice::none ? Bytes(got[i]) : opener.open(got[i], WallTime{}).datagram;
        REQUIRE(datagram.size() == want[i].size());
        REQUIRE(same(datagram.subspan(kParityHeaderBytes), Bytes(want[i]).subspan(kParityHeaderBytes)));
      }
    }
  }
}

TEST_CASE("packetizers with helpers do not allocate for the second frame of a size") {
  for (const CryptoChoice crypto : {CryptoChoice::none, CryptoChoice::texcast}) {
    WorkAhead helpers(3);
    const auto packetizer = make_packetizer(
        helped_settings(1500), {.fec = parse_fec("10%").value(), .crypto = crypto, .keys = secret_keys()}, &helpers);
    const auto frame = random_bytes(3'000'000, 1);
    const auto send = [&] {
      packetizer->begin(frame, {});
      packetizer->prepare(frame.size());
      for (size_t given = 0; given < frame.size();)
        packetizer->advance(given = std::min(given + 500'000, frame.size()));
    };
    send();
    const uint64_t before = allocations();
    send();
    CHECK(allocations() == before);
  }
}

namespace {

// Datagrams as from a socket: some at a time, in memory that is reused for the next ones.
class SocketMemory {
 public:
  std::vector<Bytes> read(std::span<const Datagram> datagrams) {
    std::vector<Bytes> list;
    for (size_t i = 0; i < datagrams.size(); ++i) {
      std::byte* const at = memory_.data() + i * 2048;
      std::ranges::copy(datagrams[i], at);
      list.emplace_back(at, datagrams[i].size());
    }
    return list;
  }

 private:
  std::vector<std::byte> memory_ = std::vector<std::byte>(1000 * 2048);
};

std::vector<uint64_t> figures_of(const ReceiveCounters& c) {
  return {c.packets, c.bytes,   c.lost,    c.reordered,       c.duplicate,       c.late, c.malformed, c.foreign,
          c.surplus, c.refused, c.streams, c.frames_complete, c.recovered_parity};
}

struct Received {
  std::vector<std::vector<std::byte>> frames;
  std::vector<uint64_t> figures;
};

// `told`: fraction of each read's datagrams that are passed to expect(); the others follow without.
Received receive_all(const std::vector<std::vector<Datagram>>& reads, WorkAhead* helpers, double told) {
  ReceiveSession session({.keys = secret_keys(), .max_age = nanoseconds{}}, nullptr, helpers);
  SocketMemory memory;
  Received all;
  SteadyTime now = SteadyTime(1s);
  for (size_t i = 0; i < reads.size(); ++i) {
    const auto list = memory.read(reads[i]);
    if (i % 5 != 4) session.expect(std::span(list).first(static_cast<size_t>(told * static_cast<double>(list.size()))));
    for (size_t d = 0; d < list.size(); ++d) {
      session.on_datagram(list[d], now, WallTime(1s));
      while (const auto frame = session.poll(now, WallTime(1s)))
        all.frames.emplace_back(frame->bytes.begin(), frame->bytes.end());
      now += 1us;
    }
  }
  all.figures = figures_of(session.counters());
  return all;
}

}  // namespace

TEST_CASE("datagrams opened by helpers are treated as by one thread: damaged, replayed, foreign, skipped and stale") {
  PacketizerSettings settings = helped_settings(1500);
  const WireChoice wire{.fec = parse_fec("10%").value(),
                        .crypto = CryptoChoice::texcast,
                        .keys = secret_keys(),
                        .answers_requests = true};
  const auto packetizer = make_packetizer(settings, wire);
  WireChoice strange = wire;
  strange.keys = secret_keys({std::byte{9}});
  const auto stranger = make_packetizer(settings, strange);
  settings.ssrc = 77;
  const auto second = make_packetizer(settings, wire);
  std::mt19937 random(3);
  std::vector<Datagram> sent;
  for (uint32_t frame = 0; frame < 12; ++frame) {
    const auto bytes = random_bytes(kSmallFrame, frame);
    for (int copy = 0; copy < 60; ++copy)
      for (Datagram& datagram : datagrams(*packetizer, random_bytes(kSmallFrame, frame), pts_only(frame * 16ms)))
        sent.push_back(std::move(datagram));
    for (Datagram& datagram : datagrams(*stranger, bytes)) sent.push_back(std::move(datagram));
    for (Datagram& datagram : datagrams(*second, bytes)) sent.push_back(std::move(datagram));
    for (int i = 0; i < 20; ++i) {
      Datagram changed = sent[sent.size() - 1 - random() % 100];
      if (i % 2) changed[random() % changed.size()] ^= std::byte{1};  // otherwise it is replayed
      if (i % 7 == 6) changed.resize(random() % changed.size());
      sent.insert(sent.end() - static_cast<std::ptrdiff_t>(random() % 100), changed);
    }
  }
  std::vector<std::vector<Datagram>> reads;
  for (size_t at = 0; at < sent.size();) {
    const size_t some = std::min<size_t>(sent.size() - at, 100 + random() % 600);
    reads.emplace_back(sent.begin() + static_cast<std::ptrdiff_t>(at),
                       sent.begin() + static_cast<std::ptrdiff_t>(at + some));
    at += some;
  }
  const Received want = receive_all(reads, nullptr, 1);
  CHECK(want.frames.size() > 12);
  CHECK(want.figures[9] > 100);  // refused
  for (const int threads : kThreads)
    for (const double told : {1.0, 0.7}) {
      CAPTURE(threads);
      CAPTURE(told);
      WorkAhead helpers(threads);
      const Received got = receive_all(reads, &helpers, told);
      CHECK(got.figures == want.figures);
      CHECK(got.frames == want.frames);
    }
}

TEST_CASE("reused memory is not mistaken for the datagram that was opened ahead") {
  WorkAhead helpers(1);
  const auto keys = secret_keys();
  Sealer sealer(*keys);
  Opener opener(keys, nanoseconds{}, &helpers);
  std::vector<std::byte> memory(200 * 256);
  std::vector<Bytes> list;
  const auto fill = [&](uint32_t seed) {
    list.clear();
    for (size_t i = 0; i < 200; ++i)
      list.push_back(sealer.seal({}, random_bytes(100, seed + static_cast<uint32_t>(i)),
                                 MutableBytes(memory).subspan(i * 256, 256), {}));
  };
  fill(0);
  REQUIRE(opener.open(list[0], {}).outcome == Opener::Outcome::opened);  // its session is known
  opener.expect(list);
  for (size_t i = 1; i < 100; ++i)
    REQUIRE(same(opener.open(list[i], {}).datagram, random_bytes(100, static_cast<uint32_t>(i))));
  helpers.finish();
  fill(1000);  // the other hundred never arrived
  for (size_t i = 100; i < 200; ++i)
    REQUIRE(same(opener.open(list[i], {}).datagram, random_bytes(100, 1000 + static_cast<uint32_t>(i))));
  opener.expect(list);
  std::byte& changed = memory[150 * 256 + 60];
  opener.expect({});
  changed ^= std::byte{1};
  CHECK(opener.open(list[150], {}).outcome == Opener::Outcome::refused);
}
