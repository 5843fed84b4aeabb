// Coded streams over the simulated network, both ways: payloads arrive unchanged, are recovered by parity or NACKs, or
// are reported as missing.
#include <doctest/doctest.h>

#include "../tiny.h"
#include "compact_support.h"
#include "lossy_link.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

struct CompactLinkSettings {
  NetworkSettings network{};
  double parity_percent = 10;
  bool requests = false;
  std::shared_ptr<const WireKeys> keys{};  // null: not encrypted
  NetworkSettings back{.seed = 9};         // for NACKs
  int frames = 40;
  size_t payloads = 250;  // at most, per frame
  int mtu = 576;
  bool ipv6 = false;
  size_t at_a_time = 0;  // payloads passed to the packetizer at a time; 0: all
  bool tells_total = true;
};

// Frames whose payloads are passed to the packetizer little by little.
class CompactStream {
 public:
  using Settings = CompactLinkSettings;
  explicit CompactStream(const Settings& settings)
      : settings_(settings),
        packetizer_(packets(), {.parity_percent = settings.parity_percent,
                                .answers_requests = settings.requests,
                                .sealer = sealer_with(settings.keys)}) {}
  static nanoseconds frame_time() { return nanoseconds(16'666'667); }
  std::vector<OutgoingPacket> packets_of(int index, SteadyTime start) {
    sent_ = frame(index);
    FrameTimes times{.pts = frame_time() * index};
    times.available = times.encoded = times.sent = wall_of(start) + 1'700'000'000s;
    packetizer_.begin(times);
    const auto views = views_of(sent_);
    const size_t step = settings_.at_a_time > 0 ? settings_.at_a_time : views.size();
    const auto total = static_cast<uint32_t>(views.size());
    std::vector<OutgoingPacket> all;
    const auto take = [&](std::span<const OutgoingPacket> ready) { all.insert(all.end(), ready.begin(), ready.end()); };
    for (size_t at = 0; at < views.size(); at += step)
      take(packetizer_.add(std::span(views).subspan(at, std::min(step, views.size() - at)),
                           settings_.tells_total ? total : 0));
    if (!packetizer_.ended()) take(packetizer_.add({}, total));
    return all;
  }
  uint32_t requestable_frame() const { return *packetizer_.requestable_frame(); }
  std::unique_ptr<RetransmitStore> make_store() const {
    if (!settings_.requests) return nullptr;
    return std::make_unique<RetransmitStore>(RetransmitSettings{.ssrc = 1, .keys = settings_.keys});
  }
  LinkVerdict judge(const ReceivedFrame& came) const {
    LinkVerdict verdict{.index = (came.buffer_id - 7) & kBufferIdMask};
    const Payloads sent = frame(static_cast<int>(verdict.index));
    bool right = came.payloads.size() <= sent.size() && came.bytes.empty();
    for (size_t i = 0; right && i < came.payloads.size(); ++i)
      if (came.payloads[i].empty())
        ++verdict.holes;
      else
        right = same(came.payloads[i], sent[i]);
    if (came.payloads.size() < sent.size()) ++verdict.holes;
    verdict.right = right && came.payloads_missing == verdict.holes;
    return verdict;
  }
  size_t max_payload() const { return packetizer_.max_payload(); }

 private:
  PacketizerSettings packets() const {
    PacketizerSettings packets = compact_settings();
    packets.mtu = settings_.mtu;
    packets.ipv6 = settings_.ipv6;
    if (settings_.keys) packets.reserved_bytes = kSealOverhead;
    return packets;
  }
  Payloads frame(int index) const { return payloads_of(index, settings_.payloads, packetizer_.max_payload()); }

  Settings settings_;
  CompactPacketizer packetizer_;
  Payloads sent_;
};

using CompactLink = LossyLink<CompactStream>;

}  // namespace

TEST_CASE("coded: parity recovers all payloads up to the loss that it is designed for") {
  struct Row {
    const char* name;
    NetworkSettings network;
    double percent;
  };
  const Row rows[] = {
      {"nothing lost", lossy(0), 10},
      {"1 % lost", lossy(0.01), 10},
      {"1 % in bursts of 5", lossy(0.01, 5), 20},
      {"5 % lost", lossy(0.05), 50},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const LinkOutcome o = CompactLink({.network = row.network, .parity_percent = row.percent}).run();
    INFO(figures(o));
    check_mended_by_parity(o);
    if (o.lost == 0) CHECK(o.slowest < 12'500us);
  }
}

TEST_CASE("coded: more loss than parity can recover leaves gaps, and nothing wrong is marked as right") {
  const LinkOutcome o = CompactLink({.network = lossy(0.30)}).run();
  INFO(figures(o));
  CHECK(o.shown + static_cast<int>(o.counters.frames_lost) == 40);
  CHECK(o.holes > 100);
  CHECK(o.wrong == 0);
  CHECK(o.counters.frames_concealed > 20);
  CHECK(o.counters.malformed == 0);
}

TEST_CASE("coded: lost packets are requested, and arrive before the next frame") {
  for (const double loss : {0.0, 0.01, 0.05}) {
    if (texcast::test::tiny_only() && loss == 0.01) continue;
    for (const double percent : {0.0, 10.0}) {
      for (const bool tells_total : {true, false}) {
        CAPTURE(loss);
        CAPTURE(percent);
        CAPTURE(tells_total);
        const LinkOutcome o = CompactLink({.network = lossy(loss),
                                           .parity_percent = percent,
                                           .requests = true,
                                           .back = {.seed = 9, .loss = loss, .delay = 500us},
                                           .at_a_time = 16,
                                           .tells_total = tells_total})
                                  .run();
        INFO(figures(o));
        check_mended_by_requests(o, loss, percent);
      }
    }
  }
}

TEST_CASE("coded: damaged packets are counted, never fatal, and the stream continues") {
  const LinkOutcome o = CompactLink({.network = {.seed = 11, .loss = 0.01, .corrupt = 0.02, .delay = 500us},
                                     .requests = true,
                                     .back = {.seed = 9, .corrupt = 0.1, .delay = 500us},
                                     .frames = 120,
                                     .payloads = 60,
                                     .at_a_time = 8,
                                     .tells_total = false})
                            .run();
  INFO(figures(o));
  const ReceiveCounters& c = o.counters;
  CHECK(c.packets + c.duplicate + c.late + c.malformed + c.foreign + c.oversized + c.surplus + c.beside + c.refused ==
        o.sent + o.sent_again - o.lost);
  CHECK(c.malformed + c.foreign > 10);
  CHECK(o.shown > 110);
  CHECK(o.whole > 60);
}

TEST_CASE("coded: reordering and duplicates change nothing") {
  const LinkOutcome o =
      CompactLink({.network = {.seed = 5, .reorder = 0.2, .duplicate = 0.2, .delay = 500us}, .tells_total = false})
          .run();
  INFO(figures(o));
  CHECK(o.whole == 40);
  CHECK(o.wrong == 0);
  CHECK(o.counters.duplicate > 100);
  CHECK(o.counters.reordered > 100);
  CHECK(o.counters.malformed + o.counters.lost + o.counters.frames_lost + o.counters.frames_concealed == 0);
}

TEST_CASE("coded, sealed: parity and NACKs work as without encryption") {
  CHECK(check_sealed<CompactLink>().largest <= 576 - 28);
}

TEST_CASE("coded: datagrams fill the MTU, whatever it is, and none exceeds it") {
  struct Row {
    int mtu;
    bool ipv6, sealed;
    size_t longest;  // payload: 68 bytes of header, a symbol of whole 16 bytes, 2 of them its length
  };
  const Row rows[] = {{576, false, false, 480 - 2},   {576, true, false, 448 - 2},   {576, false, true, 432 - 2},
                      {1500, false, false, 1392 - 2}, {1500, true, false, 1376 - 2}, {1500, false, true, 1360 - 2},
                      {9000, false, false, 8896 - 2}, {9000, true, true, 8832 - 2}};
  for (const Row& row : rows) {
    CAPTURE(row.mtu);
    CAPTURE(row.ipv6);
    CAPTURE(row.sealed);
    CompactLink link({.network = lossy(0.02),
                      .parity_percent = 30,
                      .keys = row.sealed ? WireKeys::of({std::byte{7}}, {}) : nullptr,
                      .frames = 10,
                      .payloads = 60,
                      .mtu = row.mtu,
                      .ipv6 = row.ipv6});
    CHECK(link.stream().max_payload() == row.longest);
    const LinkOutcome o = link.run();
    INFO(figures(o));
    CHECK(o.whole == 10);
    CHECK(o.wrong == 0);
    const size_t room = static_cast<size_t>(row.mtu) - (row.ipv6 ? 48 : 28);
    CHECK(o.largest <= room);
    CHECK(o.largest + 16 > room);
  }
}

// A still desktop is one small packet per frame: a lost packet is a lost frame.
TEST_CASE("coded: packets of completely lost frames are requested and waited for") {
  const LinkOutcome without =
      CompactLink({.network = lossy(0.05), .parity_percent = 0, .requests = false, .frames = 400, .payloads = 1}).run();
  INFO(figures(without));
  CHECK(without.lost > 10);
  CHECK(without.counters.frames_lost >= without.lost - 1);
  const LinkOutcome o = CompactLink({.network = lossy(0.05),
                                     .parity_percent = 0,
                                     .requests = true,
                                     .back = {.seed = 9, .loss = 0.05, .delay = 500us},
                                     .frames = 400,
                                     .payloads = 1})
                            .run();
  INFO(figures(o));
  CHECK(o.counters.recovered_retransmission > 10);
  CHECK(o.whole >= 398);
  CHECK(o.wrong == 0);
  CHECK(o.counters.frames_lost <= 1);
  CHECK(o.requests < 60);
}

TEST_CASE("coded: packets that were sent before the receiver started are not requested") {
  CompactPacketizer packetizer(compact_settings(), {.answers_requests = true});
  Bench bench({.request_lost = true});
  for (int i = 0; i < 5; ++i) datagrams(packetizer, payloads_of(i, 1, 100));
  for (int i = 5; i < 8; ++i) {
    for (const Datagram& datagram : datagrams(packetizer, payloads_of(i, 1, 100))) bench.put(datagram);
    bench.pass(5ms);
    CHECK(!bench.session.poll_feedback(bench.now));
  }
  CHECK(bench.shown.size() == 3);
}
