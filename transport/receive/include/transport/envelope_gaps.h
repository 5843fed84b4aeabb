// envelope_gaps.h — which datagrams of a sealed session are missing, by the counters of their envelopes, and when to
// request them from the relay that they come through: the relay has no key, but sees the same counters. No I/O; time
// is an argument.
//
//     arrived() ──gap──► waits for reordering ──► request() ──again after a round trip──► arrived(), or too old
//                                                            offered() keeps it going: the relay answers
//
// Used by receivers, which pass counters that they have authenticated, and by a relay without the key towards another
// one. Whoever is asked decides nothing but which envelopes come again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/envelope_packet.h"
#include "transport/peer_address.h"
#include "transport/request_pace.h"

namespace texcast::transport {

// Not thread-safe. Remembers at most kMostGaps counters.
class EnvelopeGaps {
 public:
  static constexpr nanoseconds kOfferHolds = std::chrono::seconds(2);
  static constexpr nanoseconds kKeepFor = std::chrono::milliseconds(250);  // older datagrams are useless
  static constexpr size_t kMostGaps = 512;
  static constexpr uint32_t kTries = 2;  // round trips after which the sender is asked instead

  // Another session is followed: there are no gaps and no offer yet.
  void follow(uint64_t session);
  bool follows(uint64_t session) const { return session_ == session; }

  // A datagram of the followed session arrived. Returns true if it had been requested and comes for the first time.
  bool arrived(uint64_t counter, SteadyTime now);
  // So many datagrams after the latest one should have been here.
  void expect(uint32_t count, SteadyTime now);
  // A relay's offer. Returns false if it is for another session. `from`: requests go there.
  bool offered(const EnvelopeList& offer, SteadyTime now, const PeerAddress& from);
  // True if requests to this address are worth making: it has made an offer within kOfferHolds.
  bool is_offered(SteadyTime now, const PeerAddress& by) const {
    return session_ && offered_at_ && now - *offered_at_ < kOfferHolds && by == offered_by_;
  }
  void pause();  // there is no offer any more
  bool expects_answers(SteadyTime now) const { return pace_.expects_answers(now); }
  // How long a packet is left to the relay, before the sender is asked.
  nanoseconds patience() const { return kReorderTime + kTries * pace_.retry_after(1); }

  // The next envelope NACK for the relay at the address `by`, which due() fills; valid until the next call. Nothing:
  // there is none now, or that relay makes no offers (any more).
  std::optional<Bytes> request(SteadyTime now, const PeerAddress& by, const std::function<bool(uint64_t)>& needs);

  // True if the counter is missing, and the relay may bring it.
  bool awaits(uint64_t counter) const;
  // The datagrams of these counters and below have become useless.
  void forget_up_to(uint64_t counter);
  // The counters to request now, ascending, in the bounds of a datagram; valid until the next call. `needs`: whether
  // the datagram of a counter would be of use now; it is asked about again later.
  std::span<const CounterRange> due(SteadyTime now, const std::function<bool(uint64_t)>& needs);
  // When request() and due() have something to do; nothing: not before the next arrival.
  std::optional<SteadyTime> next_look() const { return next_look_; }
  uint64_t requested() const { return pace_.requested(); }
  size_t missing() const { return gaps_.size(); }

 private:
  static constexpr nanoseconds kReorderTime = std::chrono::milliseconds(1);
  static constexpr uint64_t kMostExpected = 64;
  static constexpr uint64_t kFarBehind = 1 << 14;  // no retransmission is so late
  static constexpr uint32_t kMostBehind = 16;
  struct Gap {
    uint64_t counter = 0;
    uint32_t times = 0;  // number of requests for it
    SteadyTime found{};
    SteadyTime asked{};   // time of the latest request
    bool lacked = false;  // by the relay
  };
  SteadyTime look_at(const Gap& gap) const;
  void plan();
  void look_within(SteadyTime at);
  void add_gaps(uint64_t end, SteadyTime now);
  bool jumps(uint64_t counter);
  bool returns(uint64_t counter);

  std::optional<uint64_t> session_;
  bool any_ = false;
  uint64_t highest_ = 0;
  std::optional<uint64_t> far_;  // a counter so far ahead that a second one must confirm it
  uint32_t behind_ = 0;          // datagrams in a row that are far below the highest counter
  std::vector<Gap> gaps_;        // ascending
  std::optional<SteadyTime> next_look_;
  std::optional<SteadyTime> offered_at_;
  PeerAddress offered_by_{};
  RequestPace pace_;
  std::vector<CounterRange> ranges_;
  std::array<std::byte, kMostEnvelopeListBytes> request_{};
};

}  // namespace texcast::transport
