// Packetizers with helpers: whatever the threads, the datagrams are those that one thread makes.
#include <doctest/doctest.h>

#include <algorithm>

#include "secret_keys.h"
#include "support.h"
#include "transport/own_packetizer.h"
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

// In bands, as a sender does it: told of what is final before it asks for packets of less.
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

TEST_CASE("own mode gives the same datagrams whatever the threads, in bands and at once") {
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

TEST_CASE("sealed datagrams hold what one thread would have sealed, their counters in order, whatever the threads") {
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

TEST_CASE("a frame that is given up half way leaves no helper in it, and the next one is whole") {
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
        helpers.finish();  // from here on the frame may go
      }
      const auto bytes = random_bytes(1'000'000 + round * 10'000, round);
      const auto got = datagrams(*packetizer, bytes);
      const auto want = datagrams(*alone, bytes);
      REQUIRE(got.size() == want.size());
      // Their numbers differ by what the other frame had; the payload at the end does not.
      for (size_t i = 0; i < got.size(); ++i) {
        const Bytes datagram = crypto == CryptoChoice::none ? Bytes(got[i]) : opener.open(got[i], WallTime{}).datagram;
        REQUIRE(datagram.size() == want[i].size());
        REQUIRE(same(datagram.subspan(kParityHeaderBytes), Bytes(want[i]).subspan(kParityHeaderBytes)));
      }
    }
  }
}

TEST_CASE("packetizers with helpers allocate nothing for the second frame of a size") {
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
