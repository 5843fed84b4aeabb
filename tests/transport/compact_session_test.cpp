// Compact streams over the simulated network, both ways: payloads arrive as they were, by parity, by requests, or are
// told to be missing.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "compact_support.h"
#include "simulated_network.h"
#include "transport/retransmit_store.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

struct CompactLinkSettings {
  NetworkSettings network{};
  double parity_percent = 10;
  bool requests = false;
  std::shared_ptr<const WireKeys> keys{};  // sealed where there are some
  NetworkSettings back{.seed = 9};         // of requests
  int frames = 40;
  size_t payloads = 250;  // at most, of a frame
  int mtu = 576;
  bool ipv6 = false;
  size_t at_a_time = 0;  // payloads that are given to the packetizer at a time; 0: all
  bool tells_total = true;
};

struct CompactOutcome {
  ReceiveCounters counters;
  int whole = 0;  // frames, and right
  int wrong = 0;  // a payload is another
  int shown = 0;
  uint64_t holes = 0;     // payloads that are said to be missing
  nanoseconds slowest{};  // whole frame: from its first packet's sending
  uint64_t sent = 0, lost = 0, requests = 0, sent_again = 0;
  size_t largest = 0;  // datagram
};

// Frames paced over three quarters of the frame time; the receiver looks whenever something comes or it asked for it.
class CompactLink {
 public:
  explicit CompactLink(const CompactLinkSettings& settings)
      : settings_(settings),
        forth_(settings.network),
        back_(settings.back),
        packetizer_(
            packets(),
            {.parity_percent = settings.parity_percent, .answers_requests = settings.requests, .keys = settings.keys}),
        session_({.request_lost = settings.requests, .keys = settings.keys, .max_age = 0s}) {
    if (settings.requests)
      store_ = std::make_unique<RetransmitStore>(RetransmitSettings{.ssrc = 1, .keys = settings.keys});
  }

  CompactOutcome run() {
    SteadyTime start{1s};
    for (int i = 0; i < settings_.frames; ++i, start += kFrameTime) {
      begun_.push_back(start);
      const Payloads payloads = payloads_of(i);
      std::vector<OutgoingPacket> all;
      FrameTimes times{.pts = kFrameTime * i};
      times.available = times.encoded = times.sent = wall(start);
      packetizer_.begin(times);
      const auto views = views_of(payloads);
      const size_t step = settings_.at_a_time > 0 ? settings_.at_a_time : views.size();
      const auto total = static_cast<uint32_t>(views.size());
      for (size_t at = 0; at < views.size(); at += step) {
        const auto part = std::span(views).subspan(at, std::min(step, views.size() - at));
        const auto ready = packetizer_.add(part, settings_.tells_total ? total : 0);
        all.insert(all.end(), ready.begin(), ready.end());
      }
      if (!packetizer_.ended()) {
        const auto rest = packetizer_.add({}, total);
        all.insert(all.end(), rest.begin(), rest.end());
      }
      if (store_) {
        store_->begin_frame(*packetizer_.requestable_frame(), start);
        store_->keep(all);
      }
      for (size_t k = 0; k < all.size(); ++k) {
        pass(start + kFrameTime * 3 / 4 * static_cast<int>(k) / static_cast<int>(all.size()));
        outcome_.largest = std::max(outcome_.largest, all[k].size());
        forth_.send(join(all[k]), now_);
        ++outcome_.sent;
      }
    }
    pass(start + 1s);
    outcome_.counters = session_.counters();
    outcome_.lost = forth_.lost;
    if (!store_) return outcome_;
    outcome_.requests = store_->requests();
    outcome_.sent_again = store_->sent_again();
    return outcome_;
  }
  size_t max_payload() const { return packetizer_.max_payload(); }

 private:
  static constexpr nanoseconds kFrameTime{16'666'667};

  PacketizerSettings packets() const {
    PacketizerSettings packets = compact_settings();
    packets.mtu = settings_.mtu;
    packets.ipv6 = settings_.ipv6;
    if (settings_.keys) packets.reserved_bytes = kSealOverhead;
    return packets;
  }
  Payloads payloads_of(int index) const {
    return test::payloads_of(index, settings_.payloads, packetizer_.max_payload());
  }
  void pass(SteadyTime until) {
    constexpr nanoseconds kStep = 100us;
    while (now_ < until) {
      now_ = std::min(until, now_ + kStep);
      forth_.deliver(now_, [&](Bytes datagram, SteadyTime at) {
        session_.on_datagram(datagram, at, wall(at));
        look(at);
      });
      if (const auto due = session_.next_deadline(); due && *due <= now_) look(now_);
      back_.deliver(now_, [&](Bytes datagram, SteadyTime at) {
        for (const OutgoingPacket& packet : store_->answer(0, datagram, at)) forth_.send(join(packet), at);
      });
    }
  }
  void look(SteadyTime at) {
    while (const auto frame = session_.poll(at, wall(at))) {
      ++outcome_.shown;
      const auto index = static_cast<size_t>((frame->buffer_id - 7) & kBufferIdMask);
      const Payloads sent = payloads_of(static_cast<int>(index));
      bool right = frame->payloads.size() <= sent.size() && frame->bytes.empty();
      uint64_t holes = 0;
      for (size_t i = 0; right && i < frame->payloads.size(); ++i)
        if (frame->payloads[i].empty())
          ++holes;
        else
          right = same(frame->payloads[i], sent[i]);
      if (frame->payloads.size() < sent.size()) ++holes;
      right = right && frame->payloads_missing == holes;
      outcome_.holes += holes;
      if (!right)
        ++outcome_.wrong;
      else if (holes == 0)
        ++outcome_.whole;
      if (holes == 0) outcome_.slowest = std::max(outcome_.slowest, at - begun_[index]);
    }
    while (const auto request = session_.poll_feedback(at)) back_.send({request->begin(), request->end()}, at);
  }
  static WallTime wall(SteadyTime at) { return wall_of(at) + 1'700'000'000s; }

  CompactLinkSettings settings_;
  SimulatedNetwork forth_, back_;
  CompactPacketizer packetizer_;
  std::unique_ptr<RetransmitStore> store_;
  ReceiveSession session_;
  SteadyTime now_{1s};
  std::vector<SteadyTime> begun_;
  CompactOutcome outcome_;
};

NetworkSettings lossy_way(double loss, int burst = 1, uint32_t seed = 3) {
  return {.seed = seed, .loss = loss, .burst = burst, .delay = 500us};
}

std::string compact_figures(const CompactOutcome& o) {
  return fmt::format(
      "{} of {} whole, {} wrong, {} holes, {} of {} packets lost, {} by parity, {} by retransmission ({} asked for), "
      "{} frames lost, slowest {:.1f} ms",
      o.whole, o.shown, o.wrong, o.holes, o.lost, o.sent, o.counters.recovered_parity,
      o.counters.recovered_retransmission, o.counters.requested, o.counters.frames_lost,
      static_cast<double>(o.slowest.count()) / 1e6);
}

}  // namespace

TEST_CASE("compact: loss up to what parity is for costs no payload") {
  struct Row {
    const char* name;
    NetworkSettings network;
    double percent;
  };
  const Row rows[] = {
      {"nothing lost", lossy_way(0), 10},
      {"1 % lost", lossy_way(0.01), 10},
      {"1 % in bursts of 5", lossy_way(0.01, 5), 20},
      {"5 % lost", lossy_way(0.05), 50},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const CompactOutcome o = CompactLink({.network = row.network, .parity_percent = row.percent}).run();
    INFO(compact_figures(o));
    CHECK(o.whole == 40);
    CHECK(o.wrong == 0);
    const ReceiveCounters& c = o.counters;
    CHECK(c.packets + c.surplus == o.sent - o.lost);
    CHECK((c.recovered_parity > 0) == (o.lost > 0));
    CHECK(c.recovered_parity <= o.lost);
    CHECK(c.malformed + c.foreign + c.late + c.duplicate + c.frames_concealed + c.frames_lost == 0);
    CHECK(c.requested == 0);
    CHECK(o.slowest < 13'200us);
    if (o.lost == 0) CHECK(o.slowest < 12'500us);
  }
}

TEST_CASE("compact: more loss than parity is for leaves holes, and nothing wrong is called right") {
  const CompactOutcome o = CompactLink({.network = lossy_way(0.30)}).run();
  INFO(compact_figures(o));
  CHECK(o.shown + static_cast<int>(o.counters.frames_lost) == 40);
  CHECK(o.holes > 100);
  CHECK(o.wrong == 0);
  CHECK(o.counters.frames_concealed > 20);
  CHECK(o.counters.malformed == 0);
}

TEST_CASE("compact: lost packets are asked for, and come before the next frame has") {
  for (const double loss : {0.0, 0.01, 0.05}) {
    for (const double percent : {0.0, 10.0}) {
      for (const bool tells_total : {true, false}) {
        CAPTURE(loss);
        CAPTURE(percent);
        CAPTURE(tells_total);
        const CompactOutcome o = CompactLink({.network = lossy_way(loss),
                                              .parity_percent = percent,
                                              .requests = true,
                                              .back = {.seed = 9, .loss = loss, .delay = 500us},
                                              .at_a_time = 16,
                                              .tells_total = tells_total})
                                     .run();
        INFO(compact_figures(o));
        CHECK(o.whole == 40);
        CHECK(o.wrong == 0);
        CHECK(o.counters.frames_concealed == 0);
        CHECK(o.slowest < 16'667us + 12'500us);
        if (loss == 0) {
          CHECK(o.requests == 0);
          CHECK(o.sent_again == 0);
        }
        // What parity mends is not asked for.
        if (percent > 0) CHECK(o.counters.recovered_retransmission * 20 < o.counters.recovered_parity + 1);
        if (percent == 0) CHECK((o.counters.recovered_retransmission > 0) == (loss > 0));
      }
    }
  }
}

TEST_CASE("compact: damaged packets are counted, never fatal, and the stream goes on") {
  const CompactOutcome o = CompactLink({.network = {.seed = 11, .loss = 0.01, .corrupt = 0.02, .delay = 500us},
                                        .requests = true,
                                        .back = {.seed = 9, .corrupt = 0.1, .delay = 500us},
                                        .frames = 120,
                                        .payloads = 60,
                                        .at_a_time = 8,
                                        .tells_total = false})
                               .run();
  INFO(compact_figures(o));
  const ReceiveCounters& c = o.counters;
  CHECK(c.packets + c.duplicate + c.late + c.malformed + c.foreign + c.oversized + c.surplus + c.refused ==
        o.sent + o.sent_again - o.lost);
  CHECK(c.malformed + c.foreign > 10);
  CHECK(o.shown > 110);
  CHECK(o.whole > 60);
}

TEST_CASE("compact: reordering and copies change nothing") {
  const CompactOutcome o =
      CompactLink({.network = {.seed = 5, .reorder = 0.2, .duplicate = 0.2, .delay = 500us}, .tells_total = false})
          .run();
  INFO(compact_figures(o));
  CHECK(o.whole == 40);
  CHECK(o.wrong == 0);
  CHECK(o.counters.duplicate > 100);
  CHECK(o.counters.reordered > 100);
  CHECK(o.counters.malformed + o.counters.lost + o.counters.frames_lost + o.counters.frames_concealed == 0);
}

TEST_CASE("compact, sealed: parity and requests as in the clear") {
  const auto keys = WireKeys::of({std::byte{1}, std::byte{2}}, {std::byte{3}, std::byte{4}});
  const CompactOutcome o = CompactLink({.network = lossy_way(0.05),
                                        .parity_percent = 5,
                                        .requests = true,
                                        .keys = keys,
                                        .back = {.seed = 9, .loss = 0.05, .delay = 500us},
                                        .frames = 20})
                               .run();
  INFO(compact_figures(o));
  CHECK(o.whole == 20);
  CHECK(o.wrong == 0);
  CHECK(o.counters.refused == 0);
  CHECK(o.counters.recovered_parity > 0);
  CHECK(o.counters.recovered_retransmission > 0);
  CHECK(o.largest <= 576 - 28);
}

TEST_CASE("compact: datagrams fill the MTU, whatever it is, and none exceeds it") {
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
    CompactLink link({.network = lossy_way(0.02),
                      .parity_percent = 30,
                      .keys = row.sealed ? WireKeys::of({std::byte{7}}, {}) : nullptr,
                      .frames = 10,
                      .payloads = 60,
                      .mtu = row.mtu,
                      .ipv6 = row.ipv6});
    CHECK(link.max_payload() == row.longest);
    const CompactOutcome o = link.run();
    INFO(compact_figures(o));
    CHECK(o.whole == 10);
    CHECK(o.wrong == 0);
    const size_t room = static_cast<size_t>(row.mtu) - (row.ipv6 ? 48 : 28);
    CHECK(o.largest <= room);
    CHECK(o.largest + 16 > room);
  }
}

// A still desktop is one small packet a frame: what is lost is a whole frame.
TEST_CASE("compact: frames of which nothing came are asked for, and wait for the answer") {
  const CompactOutcome without =
      CompactLink({.network = lossy_way(0.05), .parity_percent = 0, .requests = false, .frames = 400, .payloads = 1})
          .run();
  INFO(compact_figures(without));
  CHECK(without.lost > 10);
  CHECK(without.counters.frames_lost >= without.lost - 1);
  const CompactOutcome o = CompactLink({.network = lossy_way(0.05),
                                        .parity_percent = 0,
                                        .requests = true,
                                        .back = {.seed = 9, .loss = 0.05, .delay = 500us},
                                        .frames = 400,
                                        .payloads = 1})
                               .run();
  INFO(compact_figures(o));
  CHECK(o.counters.recovered_retransmission > 10);
  CHECK(o.whole >= 398);
  CHECK(o.wrong == 0);
  CHECK(o.counters.frames_lost <= 1);
  CHECK(o.requests < 60);
}

TEST_CASE("compact: nobody asks for what was sent before the receiver began to listen") {
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
