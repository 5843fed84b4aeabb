// envelope_relay.h — how a relay without the key repairs a sealed stream by the counters of its envelopes: it tells its
// receivers so, answers their envelope NACKs, and requests its own gaps from a relay before it that does the same. No
// I/O; time is an argument.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/envelope_cache.h"
#include "transport/envelope_gaps.h"
#include "transport/envelope_packet.h"
#include "transport/packetizer.h"
#include "transport/peer_address.h"

namespace texcast::transport {

// Not thread-safe. Any datagram may be passed; memory is bounded.
class EnvelopeRelay {
 public:
  static constexpr nanoseconds kOfferEvery = std::chrono::milliseconds(500);
  // A session's first offers follow each other sooner: one of them may be lost.
  static constexpr nanoseconds kFirstOffersEvery = std::chrono::milliseconds(50);
  static constexpr int kFirstOffers = 3;

  // `answers`: false: it offers and answers nothing. `asks`: it requests its own gaps.
  EnvelopeRelay(const PacketCacheSettings& settings, bool answers, bool asks)
      : cache_(settings), answers_(answers), asks_(asks) {}

  void follow(uint64_t session);
  void stop();  // the stream has no envelopes, or is read here
  // An envelope of the followed session passes.
  void passed(uint64_t counter, Bytes envelope, SteadyTime now);
  // A receiver's datagram. If it is an envelope NACK of the followed session, returns what goes to this receiver, valid
  // until the next call of any of these.
  std::span<const OutgoingPacket> answer(uint32_t receiver, Bytes datagram, SteadyTime now);
  void forget(uint32_t receiver) { cache_.forget(receiver); }
  // The offer to send to all receivers, if it is time for one; valid until the next call. `is_alive`: the stream has
  // been heard lately.
  std::optional<Bytes> offer(SteadyTime now, bool is_alive);

  // Takes a datagram from the address that the stream comes from; it may be the offer of a relay before this one.
  void on_offer(Bytes datagram, SteadyTime now, const PeerAddress& from);
  // Returns the next envelope NACK for that relay, if there is one; valid until the next call.
  std::optional<Bytes> request(SteadyTime now, const PeerAddress& from);
  // When offer() or request() has something to do.
  std::optional<SteadyTime> next_deadline() const;

  uint64_t requests() const { return cache_.requests(); }      // envelope NACKs that were answered
  uint64_t sent_again() const { return cache_.sent_again(); }  // envelopes
  uint64_t requested() const { return gaps_.requested(); }     // envelopes, from the relay before this one

 private:
  EnvelopeCache cache_;
  EnvelopeGaps gaps_;
  const bool answers_, asks_;
  std::optional<uint64_t> session_;
  std::optional<SteadyTime> offer_at_;
  int offers_ = 0;
  std::array<std::byte, kEnvelopeListHeaderBytes> offer_{};
};

}  // namespace texcast::transport
