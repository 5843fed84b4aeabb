// lossy_link.h — a script for raw and coded streams: paced frames over the simulated network, NACKs on the way back, to
// a session that is polled whenever a datagram arrives or its deadline passes.
#pragma once

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "simulated_network.h"
#include "support.h"
#include "transport/retransmit_store.h"

namespace texcast::transport::test {

struct LinkOutcome {
  ReceiveCounters counters;
  int whole = 0;  // complete and right frames
  int wrong = 0;  // frames that are wrong without being marked so
  int shown = 0;
  uint64_t holes = 0;     // payloads reported as missing
  nanoseconds slowest{};  // complete frame, from the sending of its first packet
  uint64_t sent = 0, lost = 0, requests = 0, sent_again = 0;
  size_t largest = 0;  // datagram
};

// How a stream judges a delivered frame.
struct LinkVerdict {
  size_t index = 0;    // of the frame in sending order
  bool right = false;  // everything reported as present is what was sent
  uint64_t holes = 0;
};

// `Stream` is a packetizer with its frames. It is constructed from Settings, which contain network and back
// (NetworkSettings for media and for NACKs), requests (send NACKs), keys (null: not encrypted) and frames. It has
//     nanoseconds frame_time() const;
//     std::vector<OutgoingPacket> packets_of(int index, SteadyTime start);   of a frame, valid until the next call
//     uint32_t requestable_frame() const;                                    of that frame
//     std::unique_ptr<RetransmitStore> make_store() const;                   null: NACKs are not answered
//     LinkVerdict judge(const ReceivedFrame&) const;
template <typename Stream>
class LossyLink {
 public:
  explicit LossyLink(const typename Stream::Settings& settings)
      : frames_(settings.frames),
        forth_(settings.network),
        back_(settings.back),
        stream_(settings),
        store_(stream_.make_store()),
        session_({.request_lost = settings.requests, .keys = settings.keys, .max_age = 0s}) {}

  LinkOutcome run() {
    SteadyTime start{1s};
    for (int i = 0; i < frames_; ++i, start += stream_.frame_time()) {
      begun_.push_back(start);
      const auto all = stream_.packets_of(i, start);
      if (store_) {
        store_->begin_frame(stream_.requestable_frame(), start);
        store_->keep(all);
      }
      for (size_t k = 0; k < all.size(); ++k) {  // over three quarters of the frame time
        pass(start + stream_.frame_time() * 3 / 4 * static_cast<int>(k) / static_cast<int>(all.size()));
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
  const Stream& stream() const { return stream_; }

 private:
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
      const LinkVerdict verdict = stream_.judge(*frame);
      outcome_.holes += verdict.holes;
      outcome_.wrong += verdict.right ? 0 : 1;
      if (verdict.holes > 0) continue;
      outcome_.whole += verdict.right ? 1 : 0;
      outcome_.slowest = std::max(outcome_.slowest, at - begun_[verdict.index]);
    }
    while (const auto request = session_.poll_feedback(at)) back_.send({request->begin(), request->end()}, at);
  }
  static WallTime wall(SteadyTime at) { return wall_of(at) + 1'700'000'000s; }

  const int frames_;
  SimulatedNetwork forth_, back_;
  Stream stream_;
  std::unique_ptr<RetransmitStore> store_;
  ReceiveSession session_;
  SteadyTime now_{1s};
  std::vector<SteadyTime> begun_;
  LinkOutcome outcome_;
};

inline NetworkSettings lossy(double loss, int burst = 1, uint32_t seed = 3) {
  return {.seed = seed, .loss = loss, .burst = burst, .delay = 500us};
}

inline std::string figures(const LinkOutcome& o) {
  return fmt::format(
      "{} of {} whole, {} wrong, {} holes, {} of {} packets lost, {} by parity, {} by retransmission ({} asked for), "
      "{} frames lost, slowest {:.1f} ms",
      o.whole, o.shown, o.wrong, o.holes, o.lost, o.sent, o.counters.recovered_parity,
      o.counters.recovered_retransmission, o.counters.requested, o.counters.frames_lost,
      static_cast<double>(o.slowest.count()) / 1e6);
}

// ---- expectations for raw and coded streams ----

// Parity recovered all losses: nothing was requested, and no frame waited longer than for its own packets.
inline void check_mended_by_parity(const LinkOutcome& o) {
  CHECK(o.whole == 40);
  CHECK(o.wrong == 0);
  const ReceiveCounters& c = o.counters;
  CHECK(c.packets + c.surplus == o.sent - o.lost);
  CHECK((c.recovered_parity > 0) == (o.lost > 0));
  CHECK(c.recovered_parity <= o.lost);
  CHECK(c.malformed + c.foreign + c.late + c.duplicate + c.frames_concealed + c.frames_lost == 0);
  CHECK(c.requested == 0);
  CHECK(o.slowest < 13'200us);  // 12.5 ms, and half a millisecond in the network
}

// With this loss in both directions and this much parity, requested packets arrived before the next frame.
inline void check_mended_by_requests(const LinkOutcome& o, double loss, double parity_percent) {
  CHECK(o.whole == 40);
  CHECK(o.wrong == 0);
  CHECK(o.counters.frames_concealed == 0);
  CHECK(o.slowest < 16'667us + 12'500us);
  if (loss == 0) {
    CHECK(o.requests == 0);
    CHECK(o.sent_again == 0);
  }
  // Packets that parity recovers are not requested.
  if (parity_percent > 0) CHECK(o.counters.recovered_retransmission * 20 < o.counters.recovered_parity + 1);
  if (parity_percent == 0) CHECK((o.counters.recovered_retransmission > 0) == (loss > 0));
}

inline std::shared_ptr<const WireKeys> link_keys() {
  return WireKeys::of({std::byte{1}, std::byte{2}}, {std::byte{3}, std::byte{4}});
}

// Sealed with link_keys(), a stream is recovered by parity and by NACKs as without encryption.
template <typename Link>
LinkOutcome check_sealed() {
  const LinkOutcome o = Link({.network = lossy(0.05),
                              .parity_percent = 5,
                              .requests = true,
                              .keys = link_keys(),
                              .back = {.seed = 9, .loss = 0.05, .delay = 500us},
                              .frames = 20})
                            .run();
  INFO(figures(o));
  CHECK(o.whole == 20);
  CHECK(o.wrong == 0);
  CHECK(o.counters.refused == 0);
  CHECK(o.counters.recovered_parity > 0);
  CHECK(o.counters.recovered_retransmission > 0);
  return o;
}

}  // namespace texcast::transport::test
